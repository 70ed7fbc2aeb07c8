import { callerNetwork, FairShare } from '#kit/std';
import { HttpError } from '../errors/http-error.ts';
import type { Principal } from '../ports.ts';
import type { Exchange } from './exchange.ts';
import type { HttpLimits } from './limits.ts';

type InFlightLimits = Pick<HttpLimits, 'inFlight' | 'inFlightEach' | 'strangersInFlight'>;

/** The requests under way, so that a shutdown can wait for them and, in the end, stop waiting. */
export class InFlight {
  readonly #exchanges = new Set<Exchange>();
  readonly #idleWaiters = new Set<() => void>();
  readonly #limits: InFlightLimits;
  readonly #strangers: FairShare<Exchange>;
  /** Of callers that are known: a stream waits for events most of its life, and has limits of its own. */
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

  /** To a public route. `OVERLOADED` when its address has most already; else another one may have to go. */
  addStranger(exchange: Exchange): void {
    const displaced = this.#strangers.add(callerNetwork(exchange.address), exchange);
    if (displaced === exchange) throw overloaded();
    displaced?.displace(overloaded());
  }

  /** `OVERLOADED` when there are too many, and this principal has more than every one may have. */
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

  /** `false` when it was not under way any more. */
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

function overloaded(): HttpError {
  return new HttpError('OVERLOADED', 'Too many requests are under way here. Try again in a moment.');
}
