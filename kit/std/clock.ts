/** Time as a port, so that a decision can be replayed and a test can own the hands. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
