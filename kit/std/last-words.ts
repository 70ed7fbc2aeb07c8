import type { Sleep } from './sleep.ts';

export interface TellOptions<T> {
  /** Resolves once they were heard. */
  readonly tell: (words: readonly T[], signal: AbortSignal) => Promise<void>;
  /** Until the next word, or so long, where one is likely to come that belongs to these. */
  readonly gather?: Gathering<T>;
  /** They were not heard, and are told again once this resolves. */
  readonly onTrouble: (error: unknown) => Promise<void>;
}

export interface Gathering<T> {
  readonly ms: number;
  readonly sleep: Sleep;
  readonly isUnfinished: (words: readonly T[]) => boolean;
}

/**
 * What is to be told until somebody has heard it. Of each key the last word counts, so that a listener who is away for a week
 * does not make it long.
 */
export class LastWords<T> {
  readonly #unheard = new Map<string, T>();
  #wake: (() => void) | undefined;

  say(key: string, word: T): void {
    // What is said again is told after all that was said meanwhile.
    this.#unheard.delete(key);
    this.#unheard.set(key, word);
    this.#wake?.();
  }

  /** Until the signal aborts. */
  async run({ tell, gather, onTrouble }: TellOptions<T>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#unheard.size === 0) await this.#more(signal);
      if (gather?.isUnfinished([...this.#unheard.values()])) {
        await Promise.race([this.#more(signal), gather.sleep(gather.ms, signal).catch(() => {})]);
        this.#wake?.();
      }
      const batch = [...this.#unheard];
      if (batch.length === 0) continue;
      try {
        await tell(
          batch.map(([, word]) => word),
          signal,
        );
        for (const [key, word] of batch) if (this.#unheard.get(key) === word) this.#unheard.delete(key);
      } catch (error) {
        if (!signal.aborted) await onTrouble(error);
      }
    }
  }

  async #more(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    this.#wake = resolve;
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) resolve();
    await promise;
    signal.removeEventListener('abort', onAbort);
    this.#wake = undefined;
  }
}
