/** Between two that come back, and for all of them however many there are. */
const STEP_MS = 20;
const SPREAD_MS = 10_000;

/** When the one at `index` of `count` that are sent away comes back: each at a time of its own, so that they do not come at once. */
export function drainDelay(index: number, count: number): number {
  return Math.ceil((index + 1) * Math.min(STEP_MS, SPREAD_MS / count));
}
