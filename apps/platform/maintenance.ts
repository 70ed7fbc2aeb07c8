import { purgeIdempotencyKeys } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import type { Clock, Sleep } from '#kit/std';
import type { Storage } from '#kit/storage';
import { purgeEvents } from '#kit/storage/outbox';
import type { Logger } from '#kit/telemetry';

export interface MaintenanceDeps {
  readonly storage: Storage;
  readonly eventRetentionMs: number;
  /** What others keep, and forget in time. */
  readonly purges?: readonly Purge[];
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

export interface Purge {
  /** In words for the log. */
  readonly name: string;
  /** In small transactions, and able to go on where it was ended. Resolves to how many went. */
  run(signal: AbortSignal): Promise<number>;
}

/** The first time soon, for a process that never lives long. */
const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 10 * 60_000;
const ROUND_MS = 5 * 60_000;

/** Forgets what nobody asks for any more, so that the database does not grow for ever. */
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
      if (count > 0) log.debug({ name: purge.name, count }, 'purged what is kept for a while');
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
          log.warn({ err, retryInMs: EVERY_MS }, 'nothing was purged; will try again');
        }
        await sleep(EVERY_MS, signal);
      }
    },
  };
}
