import { type Clock, type Random, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import type { DialGuard } from '#kit/transport/dial';
import { createCredentials } from '../config/create-credentials.ts';
import type { KubeConfig } from '../config/kube-config.ts';
import { MaterialReader } from '../config/material-reader.ts';
import { isLoopback } from '../config/proxy-for.ts';
import { CachedDiscovery } from './cached-discovery.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { Exchange, type RequestReport } from './exchange.ts';
import type { KubeClient } from './kube-client.ts';
import { type Priority, type RateLimit, RequestGate } from './request-gate.ts';
import { RestClient } from './rest-client.ts';

export interface ClientLimits extends ConnectionLimits {
  /** A request has so long from its turn to the last byte of its answer; a watch until its answer begins. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** One event of a watch. */
  readonly maxFrameBytes: number;
  readonly maxInFlight: number;
  readonly maxWaiting: number;
}

export const DEFAULT_LIMITS: ClientLimits = {
  timeoutMs: 60_000,
  maxResponseBytes: 256 * 1024 * 1024,
  // An object is at most 1.5 MiB in etcd; this leaves room for what the JSON of it needs more.
  maxFrameBytes: 16 * 1024 * 1024,
  maxInFlight: 64,
  maxWaiting: 10_000,
  maxSockets: 16,
  maxStreams: 128,
  maxConnections: 8,
  connectTimeoutMs: 30_000,
  pingIntervalMs: 15_000,
  pingTimeoutMs: 15_000,
};

export interface KubeClientOptions {
  readonly config: KubeConfig;
  /** No limit unless given: the API server has priority and fairness of its own. */
  readonly rateLimit?: RateLimit;
  /** `normal` unless told; `withPriority` gives the others. */
  readonly priority?: Priority;
  /** `program/version`: also what the server calls the owner of fields when a write names none. */
  readonly userAgent?: string;
  readonly limits?: Partial<ClientLimits>;
  /** For a config that somebody else wrote: which addresses may be dialled. All unless given. */
  readonly guard?: DialGuard | undefined;
  readonly observe?: (report: RequestReport) => void;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
}

/** Nothing is connected, read or run until the first request. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const { config, rateLimit, priority = 'normal', clock = systemClock, sleep = realSleep } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const server = new URL(config.server);
  const ca = config.ca && new MaterialReader(config.ca, clock);
  const connections = new Connections({ config, ca, limits, guard: options.guard });
  const gate = new RequestGate({ ...limits, rate: rateLimit, clock, sleep });
  const exchange = new Exchange({
    server,
    connections,
    gate,
    credentials: createCredentials(config.identity, clock),
    impersonate: config.impersonate,
    userAgent: options.userAgent ?? 'fleetshift',
    // On the machine itself packing costs more than it saves.
    compression: !config.disableCompression && !isLoopback(server.hostname),
    timeoutMs: limits.timeoutMs,
    maxResponseBytes: limits.maxResponseBytes,
    observe: options.observe,
    clock,
    sleep,
    random: options.random ?? Math.random,
  });
  const discovery = new CachedDiscovery(
    (request, signal) => exchange.json({ ...request, method: 'GET', doing: `GET ${request.path}`, priority }, signal),
    clock,
  );
  const close = async (): Promise<void> => {
    gate.close();
    await connections.close();
  };
  return new RestClient({ exchange, discovery, priority, maxFrameBytes: limits.maxFrameBytes, close });
}
