import { sleep } from '#kit/std';

const BETWEEN_MS = 50;

/** Retries until the body does not throw. When the signal aborts, the last error is thrown. */
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
