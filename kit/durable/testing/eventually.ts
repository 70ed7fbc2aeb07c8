import { setTimeout as delay } from 'node:timers/promises';
import { lookAgainMs } from '#testing/look-again';
import { PATIENCE_MS } from '#testing/patience';

/**
 * Polls until the probe returns something other than `undefined` or `false`, and returns that. An error of the probe
 * means "not yet"; the last one becomes the cause of the timeout.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  withinMs = PATIENCE_MS,
): Promise<Sure<T>> {
  const begun = performance.now();
  let cause: unknown;
  while (performance.now() - begun < withinMs) {
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value as Sure<T>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await delay(lookAgainMs(begun));
  }
  throw new Error(`waited ${withinMs} ms for ${what}`, { cause });
}

type Sure<T> = Exclude<T, undefined | false>;
