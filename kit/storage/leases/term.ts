import { unlessAborted } from '#kit/std';
import type { Storage } from '../port.ts';

/** One period of leading, from its claim until it ends. */
export interface Term {
  readonly role: string;
  readonly epoch: number;
  /** No other process has led for the role since the former term of this process: what it learned in that one still holds. */
  readonly continues: boolean;
  /** Aborts when the term ends. */
  readonly signal: AbortSignal;
  /** Writes commit only while this is the current term. */
  readonly storage: Storage;
  /** Begins a new epoch of the same term: what is still being written under the former one does not commit after this. */
  advance(signal: AbortSignal): Promise<void>;
}

/** What the embedded engine and others need: to stand for a role. */
export interface Candidacy {
  /**
   * Stands for the role until `stop`, and runs the work in each of its terms. When the work returns, its term is over, and
   * the next begins with a new epoch. Rejects as soon as the work does; then this process no longer stands for the role.
   */
  lead(role: string, work: (term: Term) => Promise<void>, stop: AbortSignal): Promise<void>;
}

/** The terms of one process, and how its parts wait for them. */
export abstract class Terms {
  #changed = Promise.withResolvers<void>();

  /** The current term of this process; `undefined` while another one leads. */
  abstract term(role: string): Term | undefined;

  /** Resolves with the current term, or the next one, if it is later than this epoch. */
  async begun(role: string, after: number, signal: AbortSignal): Promise<Term> {
    for (;;) {
      signal.throwIfAborted();
      const term = this.term(role);
      if (term !== undefined && term.epoch > after) return term;
      await unlessAborted(this.#changed.promise, signal);
    }
  }

  /** Runs the work in each term of a role that another part of this process stands for. */
  async whileLeading(role: string, work: (term: Term) => Promise<void>, stop: AbortSignal): Promise<void> {
    for (let epoch = 0; !stop.aborted; ) {
      try {
        const term = await this.begun(role, epoch, stop);
        ({ epoch } = term);
        await work({ ...term, signal: AbortSignal.any([stop, term.signal]) });
      } catch (error) {
        if (stop.aborted) return;
        if (this.term(role)?.epoch === epoch) throw error;
      }
    }
  }

  /** Resolves with the next change. */
  protected get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** A term has begun or ended, or there is something else to look at. */
  protected tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
