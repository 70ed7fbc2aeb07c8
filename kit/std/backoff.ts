import { FleetError } from './errors.ts';
import { sleep as realSleep, type Sleep } from './sleep.ts';
import { StdError } from './std-error.ts';

/** A number from 0 up to but not including 1, as `Math.random` gives it. */
export type Random = () => number;

export interface BackoffPolicy {
  /** The longest wait after the first failure. */
  readonly baseMs: number;
  /** The longest wait ever. */
  readonly capMs: number;
  /** How much longer the longest wait gets with each failure; 2 unless told otherwise. */
  readonly factor?: number;
}

/**
 * How long to wait after the failure number `attempt`, counted from 1: anything from 0 to the bound
 * `min(capMs, baseMs * factor^(attempt - 1))`, in whole milliseconds.
 *
 * DECISION: full jitter, the whole range and not a part on top of a fixed wait. Many callers that lost the same peer at
 * the same moment come back spread evenly, which costs the peer the least work; a single caller that comes back at once
 * costs it one call.
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
  /** What is tried, for the error: `connect to the database`. */
  readonly what: string;
  readonly policy: BackoffPolicy;
  /** How often the body is run at most. */
  readonly attempts: number;
  /** By default, what its own catalogue calls worth trying again as it is: `retry: 'later'`. */
  readonly isRetryable?: (error: unknown) => boolean;
  readonly sleep?: Sleep;
  readonly random?: Random;
}

/**
 * Runs the body until it succeeds. An error that is not worth another try comes through as it is; the last of too many
 * becomes the cause of `RETRIES_EXHAUSTED`. The body bounds its own time; once the signal aborts, nothing is tried again.
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
