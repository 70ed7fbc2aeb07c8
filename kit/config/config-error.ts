import { type Catalogue, FleetError } from '#kit/std';

export const CONFIG_ERRORS = {
  SETTINGS_INVALID: { category: 'invalid', retry: 'after-change' },
} as const satisfies Catalogue;

/** The faults name every wrong setting, so that one start reports all of them. */
export class ConfigError extends FleetError<keyof typeof CONFIG_ERRORS> {
  get entry() {
    return CONFIG_ERRORS[this.code];
  }
}
