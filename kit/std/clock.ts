/** Time as a port, so that decisions can be replayed and tests can control the time. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
