import type { Statement, Storage, Transaction } from '#kit/storage';

export interface Writes {
  readonly transactions: number;
  readonly rows: number;
}

/** The same storage, with a count of its writes. */
export function countingStorage(storage: Storage): { readonly storage: Storage; readonly writes: Writes } {
  const writes = { transactions: 0, rows: 0 };
  const count = (changed: number): number => {
    writes.rows += changed;
    return changed;
  };
  const counting = (tx: Transaction): Transaction => ({
    all: (statement) => tx.all(statement),
    get: (statement) => tx.get(statement),
    run: async (statement) => count(await tx.run(statement)),
    batch: async (statements) => (await tx.batch(statements)).map(count),
  });
  const counted: Storage = {
    engine: storage.engine,
    all: (statement, signal) => storage.all(statement, signal),
    get: (statement, signal) => storage.get(statement, signal),
    read: (body, signal) => storage.read(body, signal),
    write: (body, signal) => {
      writes.transactions += 1;
      return storage.write((tx) => body(counting(tx)), signal);
    },
    commit: async (batch: readonly Statement[], signal) => {
      writes.transactions += 1;
      return (await storage.commit(batch, signal)).map(count);
    },
    onAnnounced: (topic, listener) => storage.onAnnounced(topic, listener),
    announce: (topic, signal) => storage.announce(topic, signal),
    close: () => storage.close(),
  };
  return { storage: counted, writes };
}
