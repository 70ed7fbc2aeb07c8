import { type ChainPoint, chainEntries } from '../domain/audit-chain.ts';
import { dayOf } from '../domain/day.ts';
import type { ChainStore, DayHead, HeadKey } from './ports.ts';

export interface ChainRound {
  /** Number of entries that were chained. */
  readonly chained: number;
  /** There may be more right now. */
  readonly again: boolean;
  /** The head of a day that is over, reported once. */
  readonly closedDay: DayHead | undefined;
  /** The end of the chain after this round; absent if another process moved it meanwhile. */
  readonly head?: ChainPoint & { readonly mac: string | undefined };
  /** The stored head was not authenticated with the key. */
  readonly isForged: boolean;
}

/** A few milliseconds of hashing. */
const BATCH = 200;

/**
 * Assigns entries their positions in the chain, after the transactions that wrote them.
 *
 * DECISION: not in these transactions. Each entry needs the hash of the previous one, so every write of the platform would wait
 * for, or collide with, every other. Several processes may chain at the same time; only one of them succeeds.
 */
export class AuditChainer {
  readonly #store: ChainStore;
  readonly #key: HeadKey | undefined;

  constructor(store: ChainStore, key?: HeadKey) {
    this.#store = store;
    this.#key = key;
  }

  async round(now: number, signal: AbortSignal): Promise<ChainRound> {
    const { head, headMac, headTime } = await this.#store.ends(signal);
    // Chaining more entries must never authenticate a head that was not authenticated.
    const isForged = this.#key !== undefined && headMac !== this.#key.mac(head);
    const closedDay = await this.#closeDay(
      { ...head, day: headTime === undefined ? '' : dayOf(headTime) },
      now,
      signal,
    );
    const entries = await this.#store.arrivals(BATCH, signal);
    const chained = chainEntries(head, entries);
    const last = chained.at(-1) ?? head;
    const mac = isForged ? undefined : this.#key?.mac(last);
    const end = { position: last.position, hash: last.hash, mac };
    if (chained.length === 0) return { chained: 0, again: false, closedDay, isForged, head: end };
    const isMine = await this.#store.append({ head, chained, mac, now }, signal);
    const again = !isMine || entries.length === BATCH;
    if (!isMine) return { chained: 0, again, closedDay, isForged };
    return { chained: entries.length, again, closedDay, isForged, head: end };
  }

  async #closeDay(head: DayHead, now: number, signal: AbortSignal): Promise<DayHead | undefined> {
    if (head.day === '' || head.day >= dayOf(now)) return undefined;
    return (await this.#store.recordDay(head, signal)) ? head : undefined;
  }
}
