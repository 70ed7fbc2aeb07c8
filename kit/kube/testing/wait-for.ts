import { sleep } from '#kit/std';

const BETWEEN_MS = 50;

/** Tries until it does not throw any more. When the signal aborts, what it threw last is thrown. */
export async function waitFor<T>(body: () => Promise<T> | T, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await body();
    } catch (error) {
      if (signal.aborted) throw error;
      await sleep(BETWEEN_MS, signal).catch(() => {});
    }
  }
}
