import { purgeIdempotencyKeys } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import type { Clock, Sleep } from '#kit/std';
import type { Storage } from '#kit/storage';
import { purgeEvents } from '#kit/storage/outbox';
import type { Logger } from '#kit/telemetry';

export interface MaintenanceDeps {
  readonly storage: Storage;
  readonly eventRetentionMs: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

/** The first time soon, for a process that never lives long. */
const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 10 * 60_000;
const ROUND_MS = 5 * 60_000;

/** Forgets what nobody asks for any more, so that the database does not grow for ever. */
export function maintenance({ storage, eventRetentionMs, clock, sleep, log }: MaintenanceDeps): Runnable {
  const round = async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const keys = await purgeIdempotencyKeys(storage, now, signal);
    const events = await purgeEvents({ storage, olderThan: now - eventRetentionMs }, signal);
    if (keys > 0) log.debug({ count: keys }, 'purged expired idempotency keys');
    if (events > 0) log.debug({ count: events }, 'purged old events');
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
