import type { ChainedEntry, ChainPoint } from '../domain/audit-chain.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';

/** Where the chain begins and ends. It begins behind what was purged. */
export interface ChainEnds {
  readonly start: ChainPoint;
  readonly head: ChainPoint;
  /** By the key of this instance; `undefined` where none was given, or the head before could not be proven. */
  readonly headMac: string | undefined;
  /** When the head became it; `undefined` before the first. */
  readonly headTime: number | undefined;
}

/** The last place of the chain on a day. */
export interface DayHead extends ChainPoint {
  readonly day: string;
}

/** What was written down and has no place in the chain yet, and the chain's end. */
export interface ChainStore {
  ends(signal: AbortSignal): Promise<ChainEnds>;
  /** The oldest first. */
  arrivals(limit: number, signal: AbortSignal): Promise<readonly AuditEntry[]>;
  /** All of them, and what arrived goes; or nothing, and false, when another has moved the head meanwhile. */
  append(step: ChainStep, signal: AbortSignal): Promise<boolean>;
  /** False when that day has one already. */
  recordDay(head: DayHead, signal: AbortSignal): Promise<boolean>;
}

export interface ChainStep {
  readonly head: ChainPoint;
  /** At least one. */
  readonly chained: readonly ChainedEntry[];
  /** Of the last of them. */
  readonly mac: string | undefined;
  readonly now: number;
}

/** Authenticates heads. Whoever can write the database does not have it. */
export interface HeadKey {
  mac(head: ChainPoint): string;
}

/** A head as it is kept elsewhere. */
export interface ShippedHead extends ChainPoint {
  readonly mac?: string;
  readonly time: string;
}

/** The chain as it was last committed. */
export interface ChainReader {
  ends(signal: AbortSignal): Promise<ChainEnds>;
  /** How many entries wait for their place. */
  pending(signal: AbortSignal): Promise<number>;
  /** In order, strictly after the position. Fewer than the limit means that there are no more. Others get their turn first. */
  readChain(after: number, limit: number, signal: AbortSignal): Promise<readonly ChainedEntry[]>;
  days(signal: AbortSignal): Promise<readonly DayHead[]>;
}
