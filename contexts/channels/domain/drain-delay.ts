/** Delay between two returning fleetlets, and the upper bound for all of them together. */
const STEP_MS = 20;
const SPREAD_MS = 10_000;

/**
 * When the fleetlet at `index` of `count` drained ones reconnects. Each has its own time, so that they do not return all at
 * once.
 */
export function drainDelay(index: number, count: number): number {
  return Math.ceil((index + 1) * Math.min(STEP_MS, SPREAD_MS / count));
}
