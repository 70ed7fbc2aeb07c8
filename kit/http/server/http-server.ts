import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Clock } from '#kit/std';
import type {
  AuditSink,
  Authenticator,
  Authorizer,
  HttpLog,
  MetricsText,
  Probe,
  RequestObserver,
  RequestTracer,
} from '../ports.ts';
import type { Method, Permission, Route } from '../routes/route.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import type { HttpLimits } from './limits.ts';
import type { Listening, ListenOptions, RawPaths } from './listeners.ts';

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
}

export interface HttpServerOptions {
  readonly api: ApiInfo;
  /** Named in the challenge of a 401. */
  readonly realm: string;
  readonly metricsPermission: Permission;
  readonly limits?: Partial<HttpLimits>;
  /** Checks every answer against its schema; one outside is a 500 and a line in the log. For tests: it costs time. */
  readonly verifyResponses?: boolean;
  /** The proxies, by address or network, whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: readonly string[];
}

export interface HttpServerDeps {
  readonly routes: readonly Route[];
  /** What is below a prefix of its own, and decides for itself who may ask. Whoever gave it ends it, too. */
  readonly raw?: RawPaths;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Who keeps a record of every change and of every refusal. */
  readonly audit?: AuditSink;
  /** What is open for longer: event streams register there, and a change is answered when what it revoked is closed. */
  readonly streams?: OpenStreams;
  readonly probes: readonly Probe[];
  readonly metrics: MetricsText;
  readonly log: HttpLog;
  readonly observer?: RequestObserver;
  readonly tracer?: RequestTracer;
  readonly clock?: Clock;
}

export interface RouteSummary {
  readonly method: Method;
  readonly path: string;
  readonly operationId: string;
  readonly permission: Permission;
}

export interface HttpServer {
  /** May be called several times: plain HTTP on the loopback and TLS beyond it, say. */
  listen(options: ListenOptions): Promise<Listening>;
  routes(): readonly RouteSummary[];
  /** The description of the API, as `/openapi.json` gives it. */
  openapi(): object;
  /** A request without a socket: for tests, and for a process that uses its own API. */
  inject(request: InjectOptions): Promise<LightMyRequestResponse>;
  /**
   * Takes no more requests, ends the streams, and lets what is under way finish. Shortly before the deadline handlers'
   * signals fire; at the deadline, what is left is cut off. Calling it again waits for the same end.
   */
  close(deadlineMs: number): Promise<void>;
}
