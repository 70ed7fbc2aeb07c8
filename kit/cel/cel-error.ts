import { type Catalogue, FleetError } from '#kit/std';

export const CEL_ERRORS = {
  EXPRESSION_INVALID: { category: 'invalid', retry: 'after-change' },
  EXPRESSION_TOO_COSTLY: { category: 'invalid', retry: 'after-change' },
} as const satisfies Catalogue;

export type CelErrorCode = keyof typeof CEL_ERRORS;

export class CelError extends FleetError<CelErrorCode> {
  get entry() {
    return CEL_ERRORS[this.code];
  }
}
