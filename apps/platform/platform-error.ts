import { type Catalogue, FleetError } from '#kit/std';

/** Errors that prevent a start, besides those of settings and database. Each message states the remedy. */
export const PLATFORM_ERRORS = {
  DATA_FOLDER_IN_USE: { category: 'conflict', retry: 'after-change' },
  DATA_FOLDER_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  ADMIN_TOKEN_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  ISSUERS_UNUSABLE: { category: 'invalid', retry: 'after-change' },
  CERTIFICATE_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  ADDRESS_UNUSABLE: { category: 'conflict', retry: 'after-change' },
} as const satisfies Catalogue;

export class PlatformError extends FleetError<keyof typeof PLATFORM_ERRORS> {
  get entry() {
    return PLATFORM_ERRORS[this.code];
  }
}
