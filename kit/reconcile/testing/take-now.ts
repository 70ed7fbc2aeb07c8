import { setImmediate as turn } from 'node:timers/promises';
import type { KeyedQueue } from '../keyed-queue.ts';

/** A key if one is ready now; waits for nothing else. */
export async function takeNow(queue: KeyedQueue): Promise<string | undefined> {
  const tooLate = new AbortController();
  const taken = queue.take(tooLate.signal);
  await turn();
  tooLate.abort();
  return taken.catch(() => undefined);
}
