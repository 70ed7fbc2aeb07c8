import type { ActivityOptions } from '../../activity.ts';

class TryTimeout extends Error {
  override readonly name = 'TIMED_OUT';
}

/** The timers of one attempt: the time limit and the heartbeat timeout. */
export class TryWatch {
  readonly signal: AbortSignal;
  /** Rejects as soon as the signal aborts. */
  readonly aborted: Promise<never>;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #silence: NodeJS.Timeout | undefined;

  constructor(name: string, { timeoutMs, heartbeatMs }: ActivityOptions, stop: AbortSignal) {
    const late = new AbortController();
    this.signal = AbortSignal.any([stop, late.signal]);
    const abortAfter = (ms: number, what: string): NodeJS.Timeout => {
      const timer = setTimeout(() => late.abort(new TryTimeout(`activity ${name} ${what}`)), ms);
      this.#timers.push(timer);
      return timer;
    };
    if (timeoutMs !== undefined) abortAfter(timeoutMs, `took more than ${timeoutMs} ms`);
    if (heartbeatMs !== undefined) this.#silence = abortAfter(heartbeatMs, `was silent for ${heartbeatMs} ms`);
    const { promise, reject } = Promise.withResolvers<never>();
    // Prevents an unhandled rejection if nothing awaits it any more.
    promise.catch(() => {});
    this.signal.addEventListener('abort', () => reject(this.signal.reason), { once: true });
    if (this.signal.aborted) reject(this.signal.reason);
    this.aborted = promise;
  }

  heartbeat(): void {
    this.#silence?.refresh();
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
