import { FleetError } from '../errors.ts';

/** How often to retry: `always` for an outage, which may last any time; `none` for a mistake, which stays one. */
export type Persistence = 'always' | 'some' | 'none';

/**
 * Decides by the kind of error. An error without a catalogue is a bug in the code or unreadable data, and fails the
 * same way each time.
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
  /** Hands over all items or none. May be called again with the same items. */
  readonly hand: (items: readonly T[]) => Promise<void>;
  /** Called with a single item that can never be handed over. */
  readonly setAside: (item: T, error: unknown) => void;
  /** Waits before the next attempt. */
  readonly pause: (error: unknown, attempt: number) => Promise<void>;
}

const SOME_ATTEMPTS = 5;

/**
 * Hands items over in order, in one batch if possible. A refused batch is halved until the refused item is alone and is
 * set aside: no item waits because another fails. While the receiver is unavailable, all items wait. Returns without an
 * error when the signal aborts.
 */
export async function handOver<T>(items: readonly T[], options: HandOver<T>, signal: AbortSignal): Promise<void> {
  await handHalf(items, { ...options, attempts: SOME_ATTEMPTS }, signal);
}

interface HalfOptions<T> extends HandOver<T> {
  /** Of an error that may pass. */
  readonly attempts: number;
}

async function handHalf<T>(items: readonly T[], options: HalfOptions<T>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; !signal.aborted && items.length > 0; attempt += 1) {
    try {
      return await options.hand(items);
    } catch (error) {
      if (signal.aborted) return;
      const persistence = persistenceWith(error);
      const [only] = items;
      const isAlone = items.length === 1;
      const attempts = isAlone ? SOME_ATTEMPTS : options.attempts;
      if (persistence === 'always' || (persistence === 'some' && attempt < attempts)) {
        await options.pause(error, attempt);
        continue;
      }
      if (isAlone && only !== undefined) return options.setAside(only, error);
      // The whole has had its attempts, and the item that fails gets them again once it is alone: what is between them is
      // only a search, and the others wait for it.
      const half = { ...options, attempts: 1 };
      const middle = Math.ceil(items.length / 2);
      await handHalf(items.slice(0, middle), half, signal);
      return await handHalf(items.slice(middle), half, signal);
    }
  }
}
