import type { Sleep } from '../sleep.ts';

/** Never visible to callers. Without a reason, each abort would create an error with a stack. */
const AWAKE = new Error('awake');

/** Lets one loop sleep until there is work. A call while the loop is working is remembered for its next wait. */
export class Notifier {
  readonly #sleep: Sleep;
  #raised = false;
  #end: (() => void) | undefined;

  constructor(sleep: Sleep) {
    this.#sleep = sleep;
  }

  notify(): void {
    this.#raised = true;
    this.#end?.();
  }

  /** Waits until woken, at most `ms`; rejects with the signal's reason. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#raised && ms > 0) {
      const over = new AbortController();
      const stop = (): void => over.abort(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      const raised = new Promise<void>((resolve) => {
        this.#end = resolve;
      });
      try {
        await Promise.race([raised, this.#sleep(ms, over.signal)]);
      } finally {
        signal.removeEventListener('abort', stop);
        over.abort(AWAKE);
        this.#end = undefined;
      }
    }
    this.#raised = false;
  }
}
