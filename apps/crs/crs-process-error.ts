import { type Catalogue, FleetError } from '#kit/std';

/** Errors that stop the controller, besides invalid settings. Each message says what to do. */
export const CRS_PROCESS_ERRORS = {
  CLUSTER_API_AT_WORK: { category: 'conflict', retry: 'after-change' },
  DEFINITIONS_MISSING: { category: 'precondition', retry: 'after-change' },
  WORKLOAD_UNREACHABLE: { category: 'unavailable', retry: 'later' },
  ADDRESS_UNUSABLE: { category: 'conflict', retry: 'after-change' },
} as const satisfies Catalogue;

export class CrsProcessError extends FleetError<keyof typeof CRS_PROCESS_ERRORS> {
  get entry() {
    return CRS_PROCESS_ERRORS[this.code];
  }
}
