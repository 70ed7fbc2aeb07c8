import { unlessAborted } from '#kit/std';
import type { Storage } from '#kit/storage';
import { LeaseError, type Term } from '#kit/storage/leases';
import type { Leadership } from '../leadership/leadership.ts';

/** Leads for all roles that it is a candidate for, while the test says so. */
export class FakeLeadership implements Leadership {
  readonly #storage: Storage | undefined;
  #epoch = 0;
  #over: AbortController | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(isLeading: boolean, storage?: Storage) {
    this.#storage = storage;
    if (isLeading) this.set(true);
  }

  set(isLeading: boolean): void {
    this.#over?.abort(new LeaseError('EPOCH_ENDED', 'the test ends it'));
    this.#over = isLeading ? new AbortController() : undefined;
    if (isLeading) this.#epoch += 1;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  term(role: string): Term | undefined {
    if (this.#over === undefined) return undefined;
    const { signal } = this.#over;
    return { role, epoch: this.#epoch, signal, storage: this.fenced(role), advance: async () => {} };
  }

  async begun(role: string, after: number, signal: AbortSignal): Promise<Term> {
    for (;;) {
      const term = this.term(role);
      if (term !== undefined && term.epoch > after) return term;
      await unlessAborted(this.#changed.promise, signal);
    }
  }

  async whileLeading(role: string, work: (term: Term) => Promise<void>, stop: AbortSignal): Promise<void> {
    for (let epoch = 0; !stop.aborted; ) {
      try {
        const term = await this.begun(role, epoch, stop);
        ({ epoch } = term);
        await work({ ...term, signal: AbortSignal.any([stop, term.signal]) });
      } catch (error) {
        if (!stop.aborted && this.term(role)?.epoch === epoch) throw error;
      }
    }
  }

  async lead(role: string, work: (term: Term) => Promise<void>, stop: AbortSignal): Promise<void> {
    await this.whileLeading(role, work, stop);
  }

  fenced(role: string): Storage {
    if (this.#over === undefined) throw new LeaseError('NOT_LEADING', `write as leader for ${role}`);
    if (this.#storage === undefined) throw new TypeError('the test gave no storage');
    return this.#storage;
  }
}
