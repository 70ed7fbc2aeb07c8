import type { Storage } from './port.ts';
import { StorageError, type StorageErrorCode } from './storage-error.ts';

/** The database cannot take writes at all; reads continue. */
const NO_WRITES: ReadonlySet<StorageErrorCode> = new Set(['DISK_FULL', 'DATABASE_READ_ONLY']);

export interface RefusedWrites {
  /** To be used instead of the given storage. */
  readonly storage: Storage;
  /** The last write that was refused because the database takes none. */
  last(): { readonly error: StorageError; readonly at: number } | undefined;
  forget(): void;
}

/** Remembers when a storage refuses to write; `now` is monotonic. */
export function refusedWrites(storage: Storage, now: () => number): RefusedWrites {
  let last: { error: StorageError; at: number } | undefined;
  const watched = async <T>(writing: Promise<T>): Promise<T> => {
    try {
      return await writing;
    } catch (error) {
      if (error instanceof StorageError && NO_WRITES.has(error.code)) last = { error, at: now() };
      throw error;
    }
  };
  return {
    storage: {
      engine: storage.engine,
      all: (statement, signal) => storage.all(statement, signal),
      get: (statement, signal) => storage.get(statement, signal),
      read: (body, signal) => storage.read(body, signal),
      write: (body, signal) => watched(storage.write(body, signal)),
      commit: (batch, signal) => watched(storage.commit(batch, signal)),
      onAnnounced: (topic, listener) => storage.onAnnounced(topic, listener),
      announce: (topic, signal) => storage.announce(topic, signal),
      close: () => storage.close(),
    },
    last: () => last,
    forget: () => {
      last = undefined;
    },
  };
}
