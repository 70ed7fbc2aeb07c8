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
  /** Time limit of a request from leaving the queue to the last byte of its response; for a watch, to the first. */
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
  // An object has at most 1.5 MiB in etcd; this leaves room for its JSON form.
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
  /** No limit by default: the API server has its own priority and fairness. */
  readonly rateLimit?: RateLimit;
  /** `normal` by default; `withPriority` gives the others. */
  readonly priority?: Priority;
  /** `program/version`: also the field manager of writes that name none. */
  readonly userAgent?: string;
  readonly limits?: Partial<ClientLimits>;
  /** For a config from an untrusted source: which addresses may be dialled. All by default. */
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
    // On the local machine compression costs more than it saves.
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
