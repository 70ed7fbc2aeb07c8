import type { SharedLink } from './shared-link.ts';

/** `up` is from the client to the target. */
export const DIRECTIONS = ['up', 'down'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The current faults of the network, for all connections. */
export interface Weather {
  /** No bytes pass in these directions; they are held. */
  readonly blocked: ReadonlySet<Direction>;
  /** Per direction of each connection. */
  readonly bytesPerSecond: number | undefined;
  /** The link that all connections share, for each direction. */
  readonly link?: Readonly<Record<Direction, SharedLink>> | undefined;
}

export const FAIR: Weather = { blocked: new Set(), bytesPerSecond: undefined };
