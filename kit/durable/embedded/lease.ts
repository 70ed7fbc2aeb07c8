import { type Clock, type Sleep, uuidv7 } from '#kit/std';
import { type Row, type Statement, type Storage, StorageError, sql } from '#kit/storage';

const NAME = 'executor';
/** The beat of a lease that was released. */
const VACANT = -1;

export interface LeaseOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** An executor without a heartbeat for this long is considered dead. */
  readonly leaseMs: number;
  /** A resource that only one process can hold at a time: the previous holder of the lease with the same seat is gone. */
  readonly seat?: string | undefined;
  /** Receives the fence of the current lease, each time it is read. */
  readonly onRead: (fence: number | undefined) => void;
}

/** The right to execute. The holder of an older fence can no longer write. */
export interface Lease {
  readonly fence: number;
  /** Comes first in every batch: it fails the whole batch if the lease is lost, and otherwise renews it. */
  readonly guard: Statement;
  /** Called when the executor has stopped: a standby need not wait for the lease to expire. */
  giveBack(signal: AbortSignal): Promise<void>;
}

interface LeaseRow extends Row {
  readonly owner: string;
  readonly fence: number;
  readonly beat: number;
}

/**
 * Waits until no other process executes, then takes over.
 *
 * DECISION: a standby watches the holder's beat with its own clock instead of comparing timestamps of two machines, so
 * that clock skew can neither steal a lease nor keep a dead one. On SQLite this is the only process, so the previous
 * holder is gone.
 */
export async function claimLease(
  { storage, clock, sleep, leaseMs, seat, onRead }: LeaseOptions,
  signal: AbortSignal,
): Promise<Lease> {
  const owner = seat ?? uuidv7();
  let seen: { beat: string; since: number } | undefined;
  for (;;) {
    const look = sql`SELECT owner, fence, beat FROM durable_lease WHERE name = ${NAME}`;
    const row = await storage.get<LeaseRow>(look, signal);
    onRead(row?.fence);
    const beat = `${row?.fence}/${row?.beat}`;
    if (seen?.beat !== beat) seen = { beat, since: clock.now() };
    const isOurs = row !== undefined && row.owner === seat;
    const isVacant = row === undefined || row.beat === VACANT || isOurs || storage.engine === 'sqlite';
    if (isVacant || clock.now() - seen.since >= leaseMs) {
      const lease = await take(storage, { owner, row }, signal);
      if (lease !== undefined) return lease;
    }
    await sleep(leaseMs / 6, signal);
  }
}

interface Attempt {
  readonly owner: string;
  readonly row: LeaseRow | undefined;
}

/** `undefined` if another process was faster. */
async function take(storage: Storage, { owner, row }: Attempt, signal: AbortSignal): Promise<Lease | undefined> {
  const fence = (row?.fence ?? 0) + 1;
  const statement =
    row === undefined
      ? sql`INSERT INTO durable_lease (name, owner, fence, beat) VALUES (${NAME}, ${owner}, ${fence}, ${0})`
      : sql`UPDATE durable_lease SET owner = ${owner}, fence = ${fence}, beat = ${0}
          WHERE name = ${NAME} AND fence = ${row.fence} AND beat = ${row.beat}`;
  try {
    await storage.commit([sql.expect(1, statement)], signal);
  } catch (error) {
    if (error instanceof StorageError && (error.code === 'GUARD_FAILED' || error.code === 'UNIQUE_VIOLATED'))
      return undefined;
    throw error;
  }
  const beat = sql`UPDATE durable_lease SET beat = beat + 1 WHERE name = ${NAME} AND fence = ${fence}`;
  return {
    fence,
    guard: sql.expect(1, beat),
    giveBack: async (stopped) => {
      const vacate = sql`UPDATE durable_lease SET beat = ${VACANT} WHERE name = ${NAME} AND fence = ${fence}`;
      await storage.commit([vacate], stopped);
    },
  };
}
