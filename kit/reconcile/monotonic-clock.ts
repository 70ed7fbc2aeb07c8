import type { Clock } from '#kit/std';

/**
 * Milliseconds since some moment, which only ever grow: for how long something took, never for what time it is. A
 * wall clock that is corrected would make waits end early or never.
 */
export const monotonicClock: Clock = { now: () => performance.now() };
