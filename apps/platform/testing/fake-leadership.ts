import type { Storage } from '#kit/storage';
import { LeaseError, type Term, Terms } from '#kit/storage/leases';
import type { Leadership } from '../leadership/leadership.ts';

/** Leads for all roles that it is a candidate for, while the test says so. */
export class FakeLeadership extends Terms implements Leadership {
  readonly #storage: Storage | undefined;
  #epoch = 0;
  #continues = false;
  #over: AbortController | undefined;

  constructor(isLeading: boolean, storage?: Storage) {
    super();
    this.#storage = storage;
    if (isLeading) this.set(true);
  }

  /** `continues`: no other process has led meanwhile. */
  set(isLeading: boolean, { continues = false }: { readonly continues?: boolean } = {}): void {
    this.#over?.abort(new LeaseError('EPOCH_ENDED', 'the test ends it'));
    this.#over = isLeading ? new AbortController() : undefined;
    if (isLeading) this.#epoch += continues ? 1 : 2;
    this.#continues = continues;
    this.tell();
  }

  override term(role: string): Term | undefined {
    if (this.#over === undefined) return undefined;
    const { signal } = this.#over;
    const [epoch, continues] = [this.#epoch, this.#continues];
    return { role, epoch, continues, signal, storage: this.fenced(role), advance: async () => {} };
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
