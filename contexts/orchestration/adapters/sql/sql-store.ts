import type { Transaction } from '#kit/storage';

/** A store for both engines, within one transaction. */
export abstract class SqlStore {
  protected readonly tx: Transaction;

  constructor(tx: Transaction) {
    this.tx = tx;
  }
}
