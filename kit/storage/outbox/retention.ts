import type { Storage } from '../port.ts';
import { sql } from '../sql.ts';
import { createEventLog } from './event-log.ts';
import { OutboxError } from './outbox-error.ts';

export interface PurgeOptions {
  readonly storage: Storage;
  /** Purges events from before this time. */
  readonly olderThan: number;
  /** Rows per transaction: few enough that writers do not notice. */
  readonly chunk?: number;
}

/**
 * Removes events that no consumer needs any more, up to the first that is not old enough; resolves to their number.
 * Deferred events and dead letters stay. So does the newest event, because the next position is derived from it.
 */
export async function purgeEvents(
  { storage, olderThan, chunk = 1_000 }: PurgeOptions,
  signal: AbortSignal,
): Promise<number> {
  const end = await firstToKeep(storage, olderThan, signal);
  const table = sql.raw(storage.engine === 'sqlite' ? 'outbox' : 'outbox_log');
  const purge = sql`DELETE FROM ${table} WHERE position IN (
    SELECT e.position FROM outbox_log e
    WHERE e.position < ${end}
      AND NOT EXISTS (SELECT 1 FROM outbox_consumers c WHERE c.position < e.position)
      AND NOT EXISTS (SELECT 1 FROM outbox_deferred d WHERE d.position = e.position)
      AND NOT EXISTS (SELECT 1 FROM outbox_dead_letters l WHERE l.position = e.position)
    ORDER BY e.position LIMIT ${chunk})`;
  let purged = 0;
  for (let removed = chunk; removed === chunk; purged += removed) {
    [removed = 0] = await storage.commit([purge], signal);
  }
  return purged;
}

/** Found by scanning the old events, which are about to be removed, not the whole log. */
async function firstToKeep(storage: Storage, olderThan: number, signal: AbortSignal): Promise<number> {
  const young = await storage.get<{ position: number }>(
    sql`SELECT position FROM outbox_log WHERE time >= ${olderThan} ORDER BY position LIMIT 1`,
    signal,
  );
  return young?.position ?? (await createEventLog(storage).lastPosition(signal));
}

/**
 * Removes a consumer that no longer exists in the code, with its deferred events and dead letters. Until then its
 * position keeps later events from being purged. A consumer that still runs comes back as a new one.
 */
export async function forgetConsumer(storage: Storage, name: string, signal: AbortSignal): Promise<void> {
  const [known] = await storage.commit(
    [
      sql`DELETE FROM outbox_consumers WHERE name = ${name}`,
      sql`DELETE FROM outbox_held_keys WHERE consumer = ${name}`,
      sql`DELETE FROM outbox_deferred WHERE consumer = ${name}`,
      sql`DELETE FROM outbox_dead_letters WHERE consumer = ${name}`,
    ],
    signal,
  );
  if (known === 0) throw new OutboxError('CONSUMER_NOT_FOUND', `forget consumer "${name}": there is none of this name`);
}
