import { type Catalogue, FleetError } from '#kit/std';

export const OBJECT_ERRORS = {
  INVALID_CONDITION: { category: 'internal', retry: 'never' },
  NOT_READ: { category: 'internal', retry: 'never' },
  BEING_DELETED: { category: 'conflict', retry: 'never' },
  OWNER_OUT_OF_REACH: { category: 'invalid', retry: 'never' },
  ALREADY_CONTROLLED: { category: 'conflict', retry: 'after-change' },
} as const satisfies Catalogue;

export type ObjectErrorCode = keyof typeof OBJECT_ERRORS;

export class ObjectError extends FleetError<ObjectErrorCode> {
  get entry() {
    return OBJECT_ERRORS[this.code];
  }
}
