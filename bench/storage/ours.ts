import type { Storage } from '#kit/storage';
import type { Subject } from './subject.ts';

const never = new AbortController().signal;

export function ourSubject(storage: Storage): Subject {
  return {
    write: async (transactions, width) => {
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < transactions.length) await storage.commit(transactions[next++] ?? [], never);
      };
      await Promise.all(Array.from({ length: width }, worker));
    },
    read: (statement) => storage.get(statement, never),
    readAll: (statement) => storage.all(statement, never),
    writeLong: async (statement) => {
      await storage.commit([statement], never);
    },
    close: () => storage.close(),
  };
}
