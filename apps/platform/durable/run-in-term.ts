import { type BackoffPolicy, backoffDelay, FleetError, type Random, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';

export interface RunInTermDeps {
  readonly run: (over: AbortSignal) => Promise<void>;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: Logger;
}

const PACE: BackoffPolicy = { baseMs: 500, capMs: 10_000 };

/**
 * Runs the engine until the term is over. A server that cannot be reached ends neither the term nor this process: the engine
 * is run again, until it is back. An error that a repetition would not cure is thrown.
 */
export async function runInTerm({ run, sleep, random, log }: RunInTermDeps, over: AbortSignal): Promise<void> {
  for (let attempt = 1; !over.aborted; attempt += 1) {
    try {
      return await run(over);
    } catch (err) {
      if (over.aborted) return;
      if (!(err instanceof FleetError) || err.entry.retry !== 'later') throw err;
      const retryInMs = backoffDelay(PACE, attempt, random);
      log.warn({ err, attempt, retryInMs }, 'workflow engine not running; retrying');
      await sleep(retryInMs, over).catch(() => {});
    }
  }
}
