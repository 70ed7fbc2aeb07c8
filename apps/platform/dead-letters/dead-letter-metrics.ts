import type { Runnable } from '#kit/reconcile';
import type { Sleep } from '#kit/std';
import type { Storage } from '#kit/storage';
import { countLetters, LETTER_SOURCES } from '#kit/storage/dead-letters';
import type { Logger, Metrics } from '#kit/telemetry';

export interface DeadLetterMetricsDeps {
  readonly storage: Storage;
  readonly metrics: Metrics;
  readonly sleep: Sleep;
  readonly log: Logger;
}

const EVERY_MS = 30_000;

/** The number of dead letters that an operator has not dealt with. */
export function deadLetterMetrics({ storage, metrics, sleep, log }: DeadLetterMetricsDeps): Runnable {
  const stored = metrics.gauge({
    name: 'fleetshift_dead_letters',
    help: 'Stored dead letters, by source: messages of agents (status, index), and events (outbox).',
    labels: ['source'],
  });
  const look = async (signal: AbortSignal): Promise<void> => {
    const counts = await countLetters(storage, signal);
    for (const source of LETTER_SOURCES) stored.set({ source }, counts.get(source) ?? 0);
  };
  return {
    name: 'dead letter metrics',
    run: async (signal) => {
      while (!signal.aborted) {
        await look(signal).catch((err: unknown) => {
          if (!signal.aborted) log.warn({ err }, 'dead letters not counted; retrying');
        });
        await sleep(EVERY_MS, signal);
      }
    },
  };
}
