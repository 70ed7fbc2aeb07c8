import { callerNetwork, FairShare } from '#kit/std';
import { HttpError } from '../errors/http-error.ts';
import type { Principal } from '../ports.ts';
import type { Exchange } from './exchange.ts';
import type { HttpLimits } from './limits.ts';

type InFlightLimits = Pick<HttpLimits, 'inFlight' | 'inFlightEach' | 'strangersInFlight'>;

/** The requests in flight, so that a shutdown can wait for them, up to its deadline. */
export class InFlight {
  readonly #exchanges = new Set<Exchange>();
  readonly #idleWaiters = new Set<() => void>();
  readonly #limits: InFlightLimits;
  readonly #strangers: FairShare<Exchange>;
  /** Requests of authenticated callers, without streams, which wait for events most of the time and have their own limits. */
  readonly #known = new Map<Exchange, string>();
  readonly #knownOf = new Map<string, number>();
  #streams = 0;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
    this.#strangers = new FairShare(limits.strangersInFlight);
  }

  get strangers(): number {
    return this.#strangers.size;
  }

  get known(): number {
    return this.#known.size;
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

  /**
   * Adds a request to a public route. Throws `OVERLOADED` if its address already has the most; otherwise it may
   * displace another request.
   */
  addStranger(exchange: Exchange): void {
    const displaced = this.#strangers.add(callerNetwork(exchange.address), exchange);
    if (displaced === exchange) throw overloaded();
    displaced?.displace(overloaded());
  }

  /** Throws `OVERLOADED` if there are too many requests and this principal has used its guaranteed share. */
  becomeKnown(exchange: Exchange, { kind, id }: Principal): void {
    const principal = `${kind}:${id}`;
    const own = this.#knownOf.get(principal) ?? 0;
    if (this.#known.size >= this.#limits.inFlight && own >= this.#limits.inFlightEach) throw overloaded();
    this.#known.set(exchange, principal);
    this.#knownOf.set(principal, own + 1);
  }

  becomeStream(exchange: Exchange): void {
    this.#forget(exchange);
    exchange.isStream = true;
    this.#streams += 1;
  }

  /** Returns false if the request was no longer in flight. */
  delete(exchange: Exchange): boolean {
    if (!this.#exchanges.delete(exchange)) return false;
    this.#forget(exchange);
    if (exchange.isStream) this.#streams -= 1;
    if (this.#exchanges.size === 0) for (const tell of this.#idleWaiters) tell();
    return true;
  }

  #forget(exchange: Exchange): void {
    this.#strangers.delete(callerNetwork(exchange.address), exchange);
    const principal = this.#known.get(exchange);
    if (principal === undefined) return;
    this.#known.delete(exchange);
    const left = (this.#knownOf.get(principal) ?? 1) - 1;
    if (left > 0) this.#knownOf.set(principal, left);
    else this.#knownOf.delete(principal);
  }

  abort(reason: HttpError, which: (exchange: Exchange) => boolean = () => true): void {
    for (const exchange of this.#exchanges) if (which(exchange)) exchange.abort(reason);
  }

  /** Resolves to true when nothing is in flight, or to false on timeout. */
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

function overloaded(): HttpError {
  return new HttpError('OVERLOADED', 'Too many requests are in progress. Try again in a moment.');
}
