import type { ChainedEntry, ChainPoint } from '../domain/audit-chain.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';

/** Where the chain begins and ends. It begins after the purged entries. */
export interface ChainEnds {
  readonly start: ChainPoint;
  readonly head: ChainPoint;
  /** Made with the key of this instance; `undefined` without a key, or when the previous head was not authenticated. */
  readonly headMac: string | undefined;
  /** When the head was written; `undefined` before the first. */
  readonly headTime: number | undefined;
}

/** The last position of the chain on a day. */
export interface DayHead extends ChainPoint {
  readonly day: string;
}

/** Entries without a position in the chain, and the end of the chain. */
export interface ChainStore {
  ends(signal: AbortSignal): Promise<ChainEnds>;
  /** Oldest first. */
  arrivals(limit: number, signal: AbortSignal): Promise<readonly AuditEntry[]>;
  /**
   * Chains all of them and deletes the arrivals; or changes nothing and returns false, when another process has moved the head
   * meanwhile.
   */
  append(step: ChainStep, signal: AbortSignal): Promise<boolean>;
  /** False when that day already has one. */
  recordDay(head: DayHead, signal: AbortSignal): Promise<boolean>;
}

export interface ChainStep {
  readonly head: ChainPoint;
  /** At least one. */
  readonly chained: readonly ChainedEntry[];
  /** MAC of the last entry. */
  readonly mac: string | undefined;
  readonly now: number;
}

/** Authenticates heads. It is not accessible to those who can write to the database. */
export interface HeadKey {
  mac(head: ChainPoint): string;
}

/** A head that is kept elsewhere. */
export interface ShippedHead extends ChainPoint {
  readonly mac?: string;
  readonly time: string;
}

/** The latest committed chain. */
export interface ChainReader {
  ends(signal: AbortSignal): Promise<ChainEnds>;
  /** How many entries wait to be chained. */
  pending(signal: AbortSignal): Promise<number>;
  /**
   * In order, strictly after the position. Fewer than the limit means that there are no more. Yields to the event loop first.
   */
  readChain(after: number, limit: number, signal: AbortSignal): Promise<readonly ChainedEntry[]>;
  days(signal: AbortSignal): Promise<readonly DayHead[]>;
}
