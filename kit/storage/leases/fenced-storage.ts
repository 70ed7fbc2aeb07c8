import type { Storage } from '../port.ts';
import { type Statement, sql } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import { LeaseError } from './lease-error.ts';

/** The right to write in a role. */
export interface Fence {
  readonly role: string;
  readonly holder: string;
  readonly epoch: number;
}

export interface FencedStorageDeps {
  readonly storage: Storage;
  /** Throws `NOT_LEADING` if there is none. */
  readonly fence: () => Fence;
  /** Another process has the role. */
  readonly onEnded: (fence: Fence) => void;
}

/**
 * A storage whose writes commit only under the epoch of the leader: it is checked in the same transaction, last, with a
 * lock that holds a later leader off until this transaction has ended. Reads are those of the storage.
 *
 * DECISION: the check locks the row for share instead of writing it, so that the writers of one leader do not wait for
 * each other. SQLite has one writer anyway, and counts only rows that a statement writes.
 */
export function fencedStorage({ storage, fence, onEnded }: FencedStorageDeps): Storage {
  const ended = (at: Fence): LeaseError => {
    onEnded(at);
    return new LeaseError('EPOCH_ENDED', `write as leader for ${at.role} under epoch ${at.epoch}: it has ended`);
  };
  return {
    engine: storage.engine,
    all: (statement, signal) => storage.all(statement, signal),
    get: (statement, signal) => storage.get(statement, signal),
    read: (body, signal) => storage.read(body, signal),
    write: async (body, signal) => {
      const at = fence();
      return await storage.write(async (tx) => {
        const value = await body(tx);
        if ((await tx.get(lookAt(storage, at))) === undefined) throw ended(at);
        return value;
      }, signal);
    },
    commit: async (batch, signal) => {
      const at = fence();
      try {
        const changes = await storage.commit([...batch, sql.expect(1, guard(storage, at))], signal);
        return changes.slice(0, batch.length);
      } catch (error) {
        const isGuard = error instanceof StorageError && error.code === 'GUARD_FAILED';
        if (isGuard && error.details?.['statement'] === batch.length) throw ended(at);
        throw error;
      }
    },
    onAnnounced: (topic, listener) => storage.onAnnounced(topic, listener),
    announce: (topic, signal) => storage.announce(topic, signal),
    close: () => storage.close(),
  };
}

function lookAt(storage: Storage, { role, holder, epoch }: Fence): Statement {
  return storage.engine === 'sqlite'
    ? sql`SELECT 1 AS one FROM leases WHERE role = ${role} AND epoch = ${epoch} AND holder = ${holder}`
    : sql`SELECT 1 AS one FROM leases WHERE role = ${role} AND epoch = ${epoch} AND holder = ${holder} FOR SHARE`;
}

function guard(storage: Storage, at: Fence): Statement {
  const { role, holder, epoch } = at;
  return storage.engine === 'sqlite'
    ? sql`UPDATE leases SET epoch = epoch WHERE role = ${role} AND epoch = ${epoch} AND holder = ${holder}`
    : lookAt(storage, at);
}
