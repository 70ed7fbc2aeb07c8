import type { Clock } from '#kit/std';

/**
 * Milliseconds since an arbitrary moment, never decreasing: for measuring durations, not for telling the time.
 * Corrections of a wall clock would make waits end early or never.
 */
export const monotonicClock: Clock = { now: () => performance.now() };
