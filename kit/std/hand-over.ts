import { FleetError } from './errors.ts';

/** How often it is worth trying the same again: an outage has no end of its own, and a mistake stays one. */
export type Persistence = 'always' | 'some' | 'none';

/**
 * By what went wrong, not by how often. What is no error of a catalogue is a mistake in the code, or data that nobody
 * can read: it fails the same way each time.
 */
export function persistenceWith(error: unknown): Persistence {
  if (error instanceof FleetError) {
    const { category } = error.entry;
    if (category === 'unavailable' || category === 'exhausted') return 'always';
    return category === 'timeout' || category === 'conflict' || category === 'precondition' ? 'some' : 'none';
  }
  const isDeadline = error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'AbortError');
  return isDeadline ? 'some' : 'none';
}

export interface HandOver<T> {
  /** All of them or none. May be called again with the same. */
  readonly hand: (items: readonly T[]) => Promise<void>;
  /** One that can never be handed over, by itself. */
  readonly setAside: (item: T, error: unknown) => void;
  /** Before it is tried again. */
  readonly pause: (error: unknown, attempt: number) => Promise<void>;
}

const SOME_ATTEMPTS = 5;

/**
 * Hands over in order, together where that works. A batch that is refused is halved until the one that is refused stands
 * alone and is set aside: no item waits for another's failure. While the receiver is away, all wait. Ends without an error
 * when the signal aborts.
 */
export async function handOver<T>(items: readonly T[], options: HandOver<T>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; !signal.aborted && items.length > 0; attempt += 1) {
    try {
      return await options.hand(items);
    } catch (error) {
      if (signal.aborted) return;
      const persistence = persistenceWith(error);
      const triesAgain = persistence === 'always' || (persistence === 'some' && attempt < SOME_ATTEMPTS);
      if (triesAgain) {
        await options.pause(error, attempt);
        continue;
      }
      const [only] = items;
      if (items.length === 1 && only !== undefined) return options.setAside(only, error);
      const middle = Math.ceil(items.length / 2);
      await handOver(items.slice(0, middle), options, signal);
      return await handOver(items.slice(middle), options, signal);
    }
  }
}
