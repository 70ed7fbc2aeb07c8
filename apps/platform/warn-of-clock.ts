import type { Clock } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import type { Logger } from '#kit/telemetry';

/** Differences below this are those of several machines on one database. */
const TOLERATED_MS = 60_000;

export interface ClockDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Once per start: a clock that was set back delays what is due until it has caught up, and the operator has to know why. */
export async function warnOfClock({ storage, clock, log }: ClockDeps, signal: AbortSignal): Promise<void> {
  const newest = sql`SELECT time FROM outbox_log ORDER BY position DESC LIMIT 1`;
  const row = await storage.get<{ time: number }>(newest, signal);
  const behindMs = (row?.time ?? 0) - clock.now();
  if (behindMs <= TOLERATED_MS) return;
  const reason = `the newest event of this instance is ${Math.round(behindMs / 1000)} s ahead of it`;
  log.warn(
    { reason },
    'clock of this machine is behind; starting all the same, what is due waits until it has caught up',
  );
}
