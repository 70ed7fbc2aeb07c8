import { type Catalogue, FleetError } from '#kit/std';

export const DEAD_LETTER_ERRORS = {
  DEAD_LETTER_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  DEAD_LETTER_NOT_REPLAYABLE: { category: 'conflict', retry: 'never' },
} as const satisfies Catalogue;

export class DeadLetterError extends FleetError<keyof typeof DEAD_LETTER_ERRORS> {
  get entry() {
    return DEAD_LETTER_ERRORS[this.code];
  }
}
