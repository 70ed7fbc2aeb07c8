import { FleetError } from '../errors.ts';
import { sleep as realSleep, type Sleep } from '../sleep.ts';
import { StdError } from '../std-error.ts';

/** A number from 0 up to but not including 1, like `Math.random`. */
export type Random = () => number;

export interface BackoffPolicy {
  /** Upper bound of the delay after the first failure. */
  readonly baseMs: number;
  /** Upper bound of all delays. */
  readonly capMs: number;
  /** Growth of the upper bound with each failure; 2 by default. */
  readonly factor?: number;
}

/**
 * The delay after failure number `attempt`, counted from 1: a random value from 0 to `min(capMs, baseMs *
 * factor^(attempt - 1))`, in whole milliseconds.
 *
 * DECISION: full jitter over the whole range, not a random part on top of a fixed delay. Callers that lost the same
 * peer at the same moment come back evenly spread, which costs the peer the least work; a single caller that retries at
 * once costs it one call.
 */
export function backoffDelay(policy: BackoffPolicy, attempt: number, random: Random): number {
  const { baseMs, capMs, factor = 2 } = policy;
  if (!(baseMs > 0 && capMs >= baseMs && factor >= 1)) {
    throw new RangeError(`a backoff needs 0 < baseMs <= capMs and factor >= 1: ${JSON.stringify(policy)}`);
  }
  if (!Number.isInteger(attempt) || attempt < 1) throw new RangeError(`attempts count from 1, not ${attempt}`);
  const bound = Math.floor(Math.min(capMs, baseMs * factor ** (attempt - 1)));
  return Math.floor(random() * (bound + 1));
}

export interface RetryOptions {
  /** The action, for the error message: `connect to the database`. */
  readonly what: string;
  readonly policy: BackoffPolicy;
  /** Maximum number of attempts. */
  readonly attempts: number;
  /** By default, errors whose catalogue says `retry: 'later'`. */
  readonly isRetryable?: (error: unknown) => boolean;
  readonly sleep?: Sleep;
  readonly random?: Random;
}

/**
 * Runs the body until it succeeds. An error that is not retryable is rethrown; after the last attempt the error becomes
 * the cause of `RETRIES_EXHAUSTED`. The body sets its own time limit. There are no retries after the signal aborts.
 */
export async function retry<T>(
  body: (signal: AbortSignal, attempt: number) => Promise<T>,
  options: RetryOptions,
  signal: AbortSignal,
): Promise<T> {
  const { what, policy, attempts, isRetryable = mayRetryLater, sleep = realSleep, random = Math.random } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await body(signal, attempt);
    } catch (error) {
      signal.throwIfAborted();
      if (!isRetryable(error)) throw error;
      if (attempt >= attempts) {
        throw new StdError('RETRIES_EXHAUSTED', `${what}, tried ${attempt} times`, {
          cause: error,
          details: { attempts },
        });
      }
    }
    await sleep(backoffDelay(policy, attempt, random), signal);
  }
}

function mayRetryLater(error: unknown): boolean {
  return error instanceof FleetError && error.entry.retry === 'later';
}
