import { type Catalogue, FleetError } from '#kit/std';

export const CONFIG_ERRORS = {
  SETTINGS_INVALID: { category: 'invalid', retry: 'after-change' },
} as const satisfies Catalogue;

/** Its faults name every setting that was wrong, so that one start finds all of them. */
export class ConfigError extends FleetError<keyof typeof CONFIG_ERRORS> {
  get entry() {
    return CONFIG_ERRORS[this.code];
  }
}
