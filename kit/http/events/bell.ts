import type { Sleep } from '#kit/std';

/** Wakes all current waiters when it rings. A wait that ends in another way leaves nothing behind. */
export class Bell {
  readonly #sleep: Sleep;
  readonly #waiters = new Set<() => void>();

  constructor(sleep: Sleep) {
    this.#sleep = sleep;
  }

  ring(): void {
    for (const wake of this.#waiters) wake();
  }

  /** Resolves when it rings or the time is over; rejects when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    this.#waiters.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    try {
      await this.#sleep(ms, woken.signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!woken.signal.aborted) throw error;
    } finally {
      this.#waiters.delete(wake);
      signal.removeEventListener('abort', wake);
    }
  }
}
