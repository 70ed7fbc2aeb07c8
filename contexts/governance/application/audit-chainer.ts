import { chainEntries } from '../domain/audit-chain.ts';
import { dayOf } from '../domain/day.ts';
import type { ChainStore, DayHead } from './ports.ts';

export interface ChainRound {
  /** Entries that got their place. */
  readonly chained: number;
  /** There may be more right now. */
  readonly again: boolean;
  /** The head of a day that is over, told once. */
  readonly closedDay: DayHead | undefined;
}

/** Some milliseconds of hashing. */
const BATCH = 200;

/**
 * Gives entries their places in the chain, after the transactions that wrote them down.
 *
 * DECISION: not in these transactions. Each entry needs the hash of the one before, so that every write of the whole
 * platform would wait for, or collide with, every other. Several may do this at the same time; only one of them gets on.
 */
export class AuditChainer {
  readonly #store: ChainStore;

  constructor(store: ChainStore) {
    this.#store = store;
  }

  async round(now: number, signal: AbortSignal): Promise<ChainRound> {
    const { head, headTime } = await this.#store.ends(signal);
    const closedDay = await this.#closeDay(
      { ...head, day: headTime === undefined ? '' : dayOf(headTime) },
      now,
      signal,
    );
    const entries = await this.#store.arrivals(BATCH, signal);
    if (entries.length === 0) return { chained: 0, again: false, closedDay };
    const isMine = await this.#store.append({ head, chained: chainEntries(head, entries), now }, signal);
    return { chained: isMine ? entries.length : 0, again: !isMine || entries.length === BATCH, closedDay };
  }

  async #closeDay(head: DayHead, now: number, signal: AbortSignal): Promise<DayHead | undefined> {
    if (head.day === '' || head.day >= dayOf(now)) return undefined;
    return (await this.#store.recordDay(head, signal)) ? head : undefined;
  }
}
