import type { Sleep } from './sleep.ts';

export interface TellOptions<T> {
  /** Resolves when the receiver has accepted the words. */
  readonly tell: (words: readonly T[], signal: AbortSignal) => Promise<void>;
  /** While the pending words are incomplete, waits up to `ms` for the next one before telling them. */
  readonly gather?: Gathering<T>;
  /** Called when telling failed; the words are told again after it resolves. */
  readonly onTrouble: (error: unknown) => Promise<void>;
}

export interface Gathering<T> {
  readonly ms: number;
  readonly sleep: Sleep;
  readonly isUnfinished: (words: readonly T[]) => boolean;
}

/**
 * Holds values until a receiver has accepted them. Only the latest value of each key is kept, so that the backlog stays
 * short even if the receiver is away for a week.
 */
export class LastWords<T> {
  readonly #unheard = new Map<string, T>();
  #wake: (() => void) | undefined;

  say(key: string, word: T): void {
    // A repeated key moves behind everything said in the meantime.
    this.#unheard.delete(key);
    this.#unheard.set(key, word);
    this.#wake?.();
  }

  /** Runs until the signal aborts. */
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
