import { type Catalogue, FleetError } from '#kit/std';

/** Errors that stop a fleetlet, besides invalid settings. Each message says what to do. */
export const FLEETLET_ERRORS = {
  DATA_FOLDER_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  IDENTITY_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  NOT_ENROLLED: { category: 'unauthenticated', retry: 'after-change' },
  ENROLMENT_REFUSED: { category: 'forbidden', retry: 'after-change' },
  PLATFORM_UNREACHABLE: { category: 'unavailable', retry: 'later' },
  FILE_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  ADDRESS_UNUSABLE: { category: 'conflict', retry: 'after-change' },
  NO_WAY_THERE: { category: 'precondition', retry: 'after-change' },
} as const satisfies Catalogue;

export class FleetletError extends FleetError<keyof typeof FLEETLET_ERRORS> {
  get entry() {
    return FLEETLET_ERRORS[this.code];
  }
}
