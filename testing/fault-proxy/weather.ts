/** `up` is from whoever called to the target. */
export const DIRECTIONS = ['up', 'down'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** What the network does to all connections at present. */
export interface Weather {
  /** Nothing gets through in these directions; what was sent waits. */
  readonly blocked: ReadonlySet<Direction>;
  /** In each direction of each connection. */
  readonly bytesPerSecond: number | undefined;
}

export const FAIR: Weather = { blocked: new Set(), bytesPerSecond: undefined };
