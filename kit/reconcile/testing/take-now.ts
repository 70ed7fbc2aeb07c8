import { setImmediate as turn } from 'node:timers/promises';
import type { KeyedQueue } from '../keyed-queue.ts';

/** Takes a key if one is ready; does not wait for delayed ones. */
export async function takeNow(queue: KeyedQueue): Promise<string | undefined> {
  const tooLate = new AbortController();
  const taken = queue.take(tooLate.signal);
  await turn();
  tooLate.abort();
  return taken.catch(() => undefined);
}
