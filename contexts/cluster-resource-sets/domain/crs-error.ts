import { type Catalogue, FleetError } from '#kit/std';

export const CRS_ERRORS = {
  CLUSTER_UNREACHABLE: { category: 'unavailable', retry: 'later' },
  CONFLICT: { category: 'conflict', retry: 'later' },
  INVENTORY_UNREADABLE: { category: 'internal', retry: 'after-change' },
  OBJECT_NOT_APPLIED: { category: 'invalid', retry: 'later' },
  RESOURCE_UNREADABLE: { category: 'invalid', retry: 'after-change' },
} as const satisfies Catalogue;

export type CrsErrorCode = keyof typeof CRS_ERRORS;

export class CrsError extends FleetError<CrsErrorCode> {
  get entry() {
    return CRS_ERRORS[this.code];
  }
}

export function isCrsError(error: unknown, ...codes: readonly CrsErrorCode[]): error is CrsError {
  return error instanceof CrsError && (codes.length === 0 || codes.includes(error.code));
}
