import { type Catalogue, FleetError } from '#kit/std';

/** Errors of a start, besides those of settings, database and instance, and of a restored platform. Each message states the remedy. */
export const PLATFORM_ERRORS = {
  ISSUERS_UNUSABLE: { category: 'invalid', retry: 'after-change' },
  API_KEY_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  CERTIFICATE_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  ADDRESS_UNUSABLE: { category: 'conflict', retry: 'after-change' },
  INSTANCE_HELD: { category: 'conflict', retry: 'after-change' },
  NOTHING_HELD: { category: 'conflict', retry: 'never' },
} as const satisfies Catalogue;

export class PlatformError extends FleetError<keyof typeof PLATFORM_ERRORS> {
  get entry() {
    return PLATFORM_ERRORS[this.code];
  }
}
