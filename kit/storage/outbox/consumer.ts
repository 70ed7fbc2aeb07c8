import type { BackoffPolicy } from '#kit/std';
import type { StoredEvent } from './event-log.ts';

/** Someone who is told of every event, at least once, and in order within a key. */
export interface Consumer {
  /** Its place in the log is kept under this name. */
  readonly name: string;
  /** Where one begins whose name is new. */
  readonly startAt: 'beginning' | 'now';
  /** Only these types; all unless told otherwise. */
  readonly types?: readonly string[];
  /** Keys at once; 8 unless told otherwise. */
  readonly concurrency?: number;
  /** How often an event is tried before it becomes a dead letter; 10 unless told otherwise. */
  readonly attempts?: number;
  readonly backoff?: BackoffPolicy;
  /** How long one try may take; 30 s unless told otherwise. */
  readonly timeoutMs?: number;
  /**
   * May see an event again, so it does nothing that must not be done twice. To throw is to ask for another try. Once the
   * signal aborts it ends soon: the event may be handed out again meanwhile.
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
