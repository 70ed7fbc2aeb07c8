import { FleetError, type Sleep } from '#kit/std';
import type { ConsumerSettings } from './consumer.ts';
import type { StoredEvent } from './event-log.ts';
import { OutboxError } from './outbox-error.ts';

interface Handling {
  readonly consumer: Pick<ConsumerSettings, 'name' | 'handle' | 'timeoutMs'>;
  readonly event: StoredEvent;
  readonly sleep: Sleep;
}

/**
 * One try. It ends with the handler, at the time limit, or with the signal, whichever comes first: a handler that does not
 * listen to its signal is left to itself.
 */
export async function handleEvent({ consumer, event, sleep }: Handling, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const timeLimit = sleep(consumer.timeoutMs, AbortSignal.any([signal, over.signal])).then(() => {
    throw new OutboxError('HANDLER_TIMED_OUT', `${consumer.name} took more than ${consumer.timeoutMs} ms for an event`);
  });
  try {
    await Promise.race([consumer.handle(event, AbortSignal.any([signal, over.signal])), timeLimit]);
  } finally {
    over.abort();
  }
}

const LONGEST = 500;

/** What is kept of an error with an event: enough to see what is wrong, and never a whole document. */
export function describeError(error: unknown): string {
  const name = error instanceof FleetError ? error.code : error instanceof Error ? error.name : 'Error';
  const message = error instanceof Error ? error.message : String(error);
  const text = `${name}: ${message}`;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
