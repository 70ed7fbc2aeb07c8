import type { FairShareLimits } from '#kit/std';

export interface Rate {
  readonly max: number;
  readonly windowMs: number;
}

/** All limits of the server. A caller that hits one gets an error that names it. */
export interface HttpLimits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  readonly urlChars: number;
  /** Maximum length of a name in a path. */
  readonly paramChars: number;
  /** From the headers until the response; then the handler's signal aborts. */
  readonly requestMs: number;
  /** Until all headers have arrived. */
  readonly headersMs: number;
  /** Until the whole request has arrived. */
  readonly receiveMs: number;
  /** How long a connection may stay idle. */
  readonly keepAliveMs: number;
  /** Connections per listener. */
  readonly connections: number;
  /** Requests in flight of authenticated callers; further ones are refused with `OVERLOADED`. */
  readonly inFlight: number;
  /** Requests in flight that every principal may always have, however many others there are. */
  readonly inFlightEach: number;
  /**
   * Requests in flight to public routes, by address. If there are too many, the oldest request of the address with the
   * most is ended.
   */
  readonly strangersInFlight: FairShareLimits;
  /** Connections without valid credentials so far, by address. */
  readonly strangersConnections: FairShareLimits;
  /** Maximum body size of a caller without credentials, unless the route sets its own. */
  readonly publicBodyBytes: number;
  /** Until that body has arrived. */
  readonly publicReceiveMs: number;
  readonly streams: number;
  readonly streamsPerPrincipal: number;
  /** How long a stream's client may read nothing before it counts as gone. */
  readonly streamStallMs: number;
  readonly perPrincipal: Rate;
  /** Per address: one limit for requests to public routes, and one for requests without valid credentials. */
  readonly perAddress: Rate;
  /** Time limit of each readiness probe. */
  readonly probeMs: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  urlChars: 8 * 1024,
  paramChars: 255,
  requestMs: 60_000,
  headersMs: 10_000,
  receiveMs: 30_000,
  keepAliveMs: 30_000,
  connections: 10_000,
  inFlight: 1000,
  inFlightEach: 8,
  strangersInFlight: { total: 512, each: 128 },
  strangersConnections: { total: 512, each: 256 },
  publicBodyBytes: 4 * 1024,
  publicReceiveMs: 5000,
  streams: 1000,
  streamsPerPrincipal: 100,
  streamStallMs: 60_000,
  perPrincipal: { max: 12_000, windowMs: 60_000 },
  perAddress: { max: 1200, windowMs: 60_000 },
  probeMs: 2000,
};
