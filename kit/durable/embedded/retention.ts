import type { Clock, Sleep } from '#kit/std';
import { type Row, type Storage, sql } from '#kit/storage';

const PORTION = 500;
const ROUND_MS = 3_600_000;

export interface RetentionOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly retentionMs: number;
}

/** Deletes ended workflows once an hour, until the signal aborts. If a round fails, the next one catches up. */
export async function keepForgetting(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await forgetEnded(options, signal).catch(() => 0);
    await options.sleep(ROUND_MS, signal).catch(() => {});
  }
}

/** Deletes in portions, so that no write blocks others for long. Returns the number of deleted workflows. */
export async function forgetEnded(
  { storage, clock, retentionMs }: RetentionOptions,
  signal: AbortSignal,
): Promise<number> {
  const before = clock.now() - retentionMs;
  for (let forgotten = 0; ; ) {
    const rows = await storage.all<Row & { id: string }>(
      sql`SELECT id FROM durable_workflows WHERE ended_at < ${before} ORDER BY ended_at LIMIT ${PORTION}`,
      signal,
    );
    if (rows.length === 0) return forgotten;
    const ids = sql.list(rows.map(({ id }) => id));
    await storage.commit(
      [
        sql`DELETE FROM durable_history WHERE workflow IN (${ids})`,
        sql`DELETE FROM durable_mail WHERE workflow IN (${ids})`,
        sql`DELETE FROM durable_workflows WHERE id IN (${ids})`,
      ],
      signal,
    );
    forgotten += rows.length;
  }
}
