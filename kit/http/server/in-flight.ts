import type { HttpError } from '../errors/http-error.ts';
import type { Exchange } from './exchange.ts';

/** The requests under way, so that a shutdown can wait for them and, in the end, stop waiting. */
export class InFlight {
  readonly #exchanges = new Set<Exchange>();
  readonly #idleWaiters = new Set<() => void>();
  #streams = 0;

  /** Ordinary requests: a stream waits for events most of its life, and has limits of its own. */
  get requests(): number {
    return this.#exchanges.size - this.#streams;
  }

  get streams(): number {
    return this.#streams;
  }

  streamsOf(principal: string): number {
    let count = 0;
    for (const { isStream, principal: own } of this.#exchanges) {
      if (isStream && own && `${own.kind}:${own.id}` === principal) count += 1;
    }
    return count;
  }

  add(exchange: Exchange): void {
    this.#exchanges.add(exchange);
  }

  becomeStream(exchange: Exchange): void {
    exchange.isStream = true;
    this.#streams += 1;
  }

  /** `false` when it was not under way any more. */
  delete(exchange: Exchange): boolean {
    if (!this.#exchanges.delete(exchange)) return false;
    if (exchange.isStream) this.#streams -= 1;
    if (this.#exchanges.size === 0) for (const tell of this.#idleWaiters) tell();
    return true;
  }

  abort(reason: HttpError, which: (exchange: Exchange) => boolean = () => true): void {
    for (const exchange of this.#exchanges) if (which(exchange)) exchange.abort(reason);
  }

  /** Resolves once nothing is under way; `false` when the time is over before that. */
  async idle(ms: number): Promise<boolean> {
    if (this.#exchanges.size === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), ms);
    const tell = (): void => resolve(true);
    this.#idleWaiters.add(tell);
    const outcome = await promise;
    clearTimeout(timer);
    this.#idleWaiters.delete(tell);
    return outcome;
  }
}
