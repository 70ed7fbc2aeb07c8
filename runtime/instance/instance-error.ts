import { type Catalogue, FleetError } from '#kit/std';

/** Errors of the files of an instance. Each message states the remedy. */
export const INSTANCE_ERRORS = {
  DATA_FOLDER_IN_USE: { category: 'conflict', retry: 'after-change' },
  DATA_FOLDER_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  DISK_FULL: { category: 'exhausted', retry: 'after-change' },
  ADMIN_TOKEN_UNUSABLE: { category: 'precondition', retry: 'after-change' },
} as const satisfies Catalogue;

export class InstanceError extends FleetError<keyof typeof INSTANCE_ERRORS> {
  get entry() {
    return INSTANCE_ERRORS[this.code];
  }
}
