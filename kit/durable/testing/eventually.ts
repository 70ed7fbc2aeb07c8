import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';

const POLL_MS = 5;

/**
 * Polls until the probe returns something other than `undefined` or `false`, and returns that. An error of the probe
 * means "not yet"; the last one becomes the cause of the timeout.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  withinMs = PATIENCE_MS,
): Promise<Sure<T>> {
  const deadline = performance.now() + withinMs;
  let cause: unknown;
  while (performance.now() < deadline) {
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value as Sure<T>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await delay(POLL_MS);
  }
  throw new Error(`waited ${withinMs} ms for ${what}`, { cause });
}

type Sure<T> = Exclude<T, undefined | false>;
