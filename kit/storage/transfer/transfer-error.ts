import { type Catalogue, FleetError } from '#kit/std';

export const TRANSFER_ERRORS = {
  TABLE_WITHOUT_KEY: { category: 'internal', retry: 'never' },
  DATABASE_NOT_EMPTY: { category: 'conflict', retry: 'after-change' },
  DUMP_TOO_NEW: { category: 'precondition', retry: 'after-change' },
  DUMP_DAMAGED: { category: 'invalid', retry: 'never' },
  LOAD_FAILED: { category: 'internal', retry: 'after-change' },
} as const satisfies Catalogue;

export type TransferErrorCode = keyof typeof TRANSFER_ERRORS;

export class TransferError extends FleetError<TransferErrorCode> {
  get entry() {
    return TRANSFER_ERRORS[this.code];
  }
}
