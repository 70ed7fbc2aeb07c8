import type { BackoffPolicy } from '#kit/std';
import type { StoredEvent } from './event-log.ts';

/** A consumer gets every event at least once, and in order within a key. */
export interface Consumer {
  /** The consumer's position in the log is stored under this name. */
  readonly name: string;
  /** Where a consumer with a new name begins. */
  readonly startAt: 'beginning' | 'now';
  /** Only these event types; all by default. */
  readonly types?: readonly string[];
  /** How many keys are handled concurrently; 8 by default. */
  readonly concurrency?: number;
  /** Attempts before an event becomes a dead letter; 10 by default. */
  readonly attempts?: number;
  readonly backoff?: BackoffPolicy;
  /** Time limit of one attempt; 30 s by default. */
  readonly timeoutMs?: number;
  /**
   * May get an event again, so it must be idempotent. Throwing requests a retry. When the signal aborts, the handler
   * must end soon: the event may be handed out again in the meantime.
   */
  handle(event: StoredEvent, signal: AbortSignal): Promise<void>;
}

export type ConsumerSettings = Required<Omit<Consumer, 'types'>> & { readonly types: readonly string[] | undefined };

export function consumerSettings(consumer: Consumer): ConsumerSettings {
  const { name, startAt, types, concurrency = 8, attempts = 10, timeoutMs = 30_000 } = consumer;
  const { backoff = { baseMs: 1_000, capMs: 300_000 } } = consumer;
  if (name === '' || !isCount(concurrency) || !isCount(attempts) || !isCount(timeoutMs) || types?.length === 0) {
    throw new RangeError(`consumer "${name}" needs a name, counts of at least 1, and no empty list of types`);
  }
  const handle = (event: StoredEvent, signal: AbortSignal): Promise<void> => consumer.handle(event, signal);
  return { name, startAt, types, concurrency, attempts, backoff, timeoutMs, handle };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
