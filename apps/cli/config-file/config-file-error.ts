import { type Catalogue, FleetError } from '#kit/std';

export const CONFIG_FILE_ERRORS = {
  CONFIG_FILE_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  CONFIG_FILE_BUSY: { category: 'unavailable', retry: 'later' },
  CONTEXT_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
} as const satisfies Catalogue;

export class ConfigFileError extends FleetError<keyof typeof CONFIG_FILE_ERRORS> {
  get entry() {
    return CONFIG_FILE_ERRORS[this.code];
  }
}
