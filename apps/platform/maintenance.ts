import { purgeIdempotencyKeys } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import type { Clock, Sleep } from '#kit/std';
import type { Storage } from '#kit/storage';
import { purgeEvents } from '#kit/storage/outbox';
import type { Logger } from '#kit/telemetry';

export interface MaintenanceDeps {
  readonly storage: Storage;
  readonly eventRetentionMs: number;
  /** Purges of other contexts. */
  readonly purges?: readonly Purge[];
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

export interface Purge {
  /** For the log. */
  readonly name: string;
  /** Works in small transactions, and can be resumed. Resolves to the number of deleted rows. */
  run(signal: AbortSignal): Promise<number>;
}

/** Early, for a process that never lives long. */
const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 10 * 60_000;
const ROUND_MS = 5 * 60_000;

/** Purges expired data, so that the database does not grow without end. */
export function maintenance(deps: MaintenanceDeps): Runnable {
  const { storage, eventRetentionMs, purges = [], clock, sleep, log } = deps;
  const round = async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const keys = await purgeIdempotencyKeys(storage, now, signal);
    const events = await purgeEvents({ storage, olderThan: now - eventRetentionMs }, signal);
    if (keys > 0) log.debug({ count: keys }, 'purged expired idempotency keys');
    if (events > 0) log.debug({ count: events }, 'purged old events');
    for (const purge of purges) {
      const count = await purge.run(signal);
      if (count > 0) log.debug({ name: purge.name, count }, 'purged expired data');
    }
  };
  return {
    name: 'maintenance',
    async run(signal) {
      await sleep(FIRST_AFTER_MS, signal);
      for (;;) {
        try {
          await round(AbortSignal.any([signal, AbortSignal.timeout(ROUND_MS)]));
        } catch (err) {
          signal.throwIfAborted();
          log.warn({ err, retryInMs: EVERY_MS }, 'purge failed; retrying');
        }
        await sleep(EVERY_MS, signal);
      }
    },
  };
}
