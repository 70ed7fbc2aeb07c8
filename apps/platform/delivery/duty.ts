import { unlessAborted } from '#kit/std';

/** Whether this process is the one that acts for the platform, all others standing by. It may be so several times. */
export class Duty {
  #isOn = false;
  #terms = 0;
  #changed = Promise.withResolvers<void>();

  constructor(isOn = false) {
    if (isOn) this.set(true);
  }

  /** The number of the term that it is in; nothing while it stands by. */
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

  /** Resolves as soon as it is in a later term than this one, with its number. */
  async begun(after: number, signal: AbortSignal): Promise<number> {
    for (;;) {
      signal.throwIfAborted();
      const { term } = this;
      if (term !== undefined && term > after) return term;
      await unlessAborted(this.#changed.promise, signal);
    }
  }
}
