import { unlessAborted } from '#kit/std';

/** Whether this process is the active one; all others are on standby. It may become active several times. */
export class Duty {
  #isOn = false;
  #terms = 0;
  #changed = Promise.withResolvers<void>();

  constructor(isOn = false) {
    if (isOn) this.set(true);
  }

  /** The number of the current term; `undefined` on standby. */
  get term(): number | undefined {
    return this.#isOn ? this.#terms : undefined;
  }

  set(isOn: boolean): void {
    if (this.#isOn === isOn) return;
    this.#isOn = isOn;
    if (isOn) this.#terms += 1;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Resolves with the number of the term as soon as it is later than this one. */
  async begun(after: number, signal: AbortSignal): Promise<number> {
    for (;;) {
      signal.throwIfAborted();
      const { term } = this;
      if (term !== undefined && term > after) return term;
      await unlessAborted(this.#changed.promise, signal);
    }
  }
}
