import { setTimeout as delay } from 'node:timers/promises';

/** Waits, or rejects with the signal's reason as soon as it aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** Waiting as a port: what waits on purpose takes one of these, so that a test can own the hands. */
export type Sleep = typeof sleep;
