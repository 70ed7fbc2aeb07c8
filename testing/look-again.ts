/** The first look comes soon, for what is there in milliseconds. */
const SOONEST_MS = 5;
const LATEST_MS = 100;

/**
 * How long a test waits before it looks again for a condition that it has awaited since `begun`: an eighth of the time so
 * far. Each look costs this process and a server milliseconds, so that looks in quick succession would keep a core busy
 * that the awaited work needs.
 */
export function lookAgainMs(begun: number, now = performance.now()): number {
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, (now - begun) / 8));
}
