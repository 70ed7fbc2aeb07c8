import { type Storage, sql } from '#kit/storage';

const RESTORED = 'restored';

/** Marks the database as restored from a backup: agents may have seen later revisions than it has. */
export async function markRestored(storage: Storage, now: number, signal: AbortSignal): Promise<void> {
  const mark = sql`INSERT INTO instance_marks (name, time) VALUES (${RESTORED}, ${now})
    ON CONFLICT (name) DO UPDATE SET time = excluded.time`;
  await storage.commit([mark], signal);
}

/** In Unix milliseconds; `undefined` when it was never restored. */
export async function restoredAt(storage: Storage, signal: AbortSignal): Promise<number | undefined> {
  const query = sql`SELECT time FROM instance_marks WHERE name = ${RESTORED}`;
  return (await storage.get<{ time: number }>(query, signal))?.time;
}
