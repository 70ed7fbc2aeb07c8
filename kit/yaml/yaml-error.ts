import { type Catalogue, FleetError } from '#kit/std';

export const YAML_ERRORS = {
  NOT_YAML: { category: 'invalid', retry: 'after-change' },
  YAML_TOO_LARGE: { category: 'invalid', retry: 'after-change' },
} as const satisfies Catalogue;

export type YamlErrorCode = keyof typeof YAML_ERRORS;

export class YamlError extends FleetError<YamlErrorCode> {
  get entry() {
    return YAML_ERRORS[this.code];
  }
}
