import type { FairShareLimits } from '#kit/std';

export interface Rate {
  readonly max: number;
  readonly windowMs: number;
}

/** Every bound of the server in one place. Whoever reaches one is told which. */
export interface HttpLimits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  readonly urlChars: number;
  /** The longest name in a path. */
  readonly paramChars: number;
  /** From the headers until the answer; a handler's signal fires then. */
  readonly requestMs: number;
  /** Until all headers arrived. */
  readonly headersMs: number;
  /** Until the whole request arrived. */
  readonly receiveMs: number;
  /** How long a connection may stay without a request. */
  readonly keepAliveMs: number;
  /** Connections on each listener. */
  readonly connections: number;
  /** Requests under way of callers with valid credentials; more are refused with `OVERLOADED`. */
  readonly inFlight: number;
  /** So many a principal always has, however many others there are. */
  readonly inFlightEach: number;
  /** Requests to public routes under way, by address. When there are too many, the oldest of the address that has most is ended. */
  readonly strangersInFlight: FairShareLimits;
  /** Connections on which no valid credentials were shown yet, by address. */
  readonly strangersConnections: FairShareLimits;
  /** Of a body that a caller without credentials sends, where the route does not say otherwise. */
  readonly publicBodyBytes: number;
  /** Until it has arrived. */
  readonly publicReceiveMs: number;
  readonly streams: number;
  readonly streamsPerPrincipal: number;
  /** How long a stream's client may take nothing before it counts as gone. */
  readonly streamStallMs: number;
  readonly perPrincipal: Rate;
  /** Of one address: for requests to public routes, and for those that show no valid credentials, each. */
  readonly perAddress: Rate;
  /** For each readiness probe. */
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
  strangersConnections: { total: 1024, each: 512 },
  publicBodyBytes: 4 * 1024,
  publicReceiveMs: 5000,
  streams: 1000,
  streamsPerPrincipal: 100,
  streamStallMs: 60_000,
  perPrincipal: { max: 12_000, windowMs: 60_000 },
  perAddress: { max: 1200, windowMs: 60_000 },
  probeMs: 2000,
};
