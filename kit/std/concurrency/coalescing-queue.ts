import type { Sleep } from '../sleep.ts';

export interface DeliverOptions<T> {
  /** Resolves when the receiver has accepted the values. */
  readonly deliver: (values: readonly T[], signal: AbortSignal) => Promise<void>;
  /** While the pending values are incomplete, waits up to `ms` for the next one before delivering them. */
  readonly gather?: GatherOptions<T>;
  /** Called when a delivery failed; the values are delivered again after it resolves. */
  readonly onFailure: (error: unknown) => Promise<void>;
}

export interface GatherOptions<T> {
  readonly ms: number;
  readonly sleep: Sleep;
  readonly isIncomplete: (values: readonly T[]) => boolean;
}

/**
 * Holds values until a receiver has accepted them. Only the latest value of each key is kept, so that the backlog stays
 * short even if the receiver is away for a week.
 */
export class CoalescingQueue<T> {
  readonly #pending = new Map<string, T>();
  #wake: (() => void) | undefined;

  put(key: string, value: T): void {
    // A repeated key moves behind everything that was put in the meantime.
    this.#pending.delete(key);
    this.#pending.set(key, value);
    this.#wake?.();
  }

  /** Runs until the signal aborts. */
  async run({ deliver, gather, onFailure }: DeliverOptions<T>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#pending.size === 0) await this.#more(signal);
      if (gather?.isIncomplete([...this.#pending.values()])) {
        await Promise.race([this.#more(signal), gather.sleep(gather.ms, signal).catch(() => {})]);
        this.#wake?.();
      }
      const batch = [...this.#pending];
      if (batch.length === 0) continue;
      try {
        await deliver(
          batch.map(([, value]) => value),
          signal,
        );
        for (const [key, value] of batch) if (this.#pending.get(key) === value) this.#pending.delete(key);
      } catch (error) {
        if (!signal.aborted) await onFailure(error);
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
