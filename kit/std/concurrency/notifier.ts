import type { Sleep } from '../sleep.ts';

/** Never visible to callers. Without a reason, each abort would create an error with a stack. */
const AWAKE = new Error('awake');

/**
 * Lets loops sleep until there is work: wakes all that wait. If none waits, the next wait ends at once, so that a loop may
 * call `wait` after it has looked for work.
 */
export class Notifier {
  readonly #sleep: Sleep;
  readonly #waiters = new Set<() => void>();
  #isPending = false;

  constructor(sleep: Sleep) {
    this.#sleep = sleep;
  }

  notify(): void {
    this.#isPending = true;
    for (const wake of this.#waiters) wake();
  }

  /** Waits until woken, at most `ms`; rejects with the signal's reason. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isPending && ms > 0) await this.#sleepUntilWoken(ms, signal);
    this.#isPending = false;
  }

  async #sleepUntilWoken(ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const stop = (): void => over.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    this.#waiters.add(wake);
    try {
      await Promise.race([woken, this.#sleep(ms, over.signal)]);
    } finally {
      this.#waiters.delete(wake);
      signal.removeEventListener('abort', stop);
      over.abort(AWAKE);
    }
  }
}
