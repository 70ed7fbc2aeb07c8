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
  /** Checks every response against its schema; a mismatch is a 500 and a line in the log. For tests: it costs time. */
  readonly verifyResponses?: boolean;
  /** Proxies, by address or network, whose `X-Forwarded-For` is trusted. */
  readonly trustProxy?: readonly string[];
  /** Logs requests at debug level unless the server failed: for a terminal, where they would hide everything else. */
  readonly quietRequests?: boolean;
}

export interface HttpServerDeps {
  readonly routes: readonly Route[];
  /** Handles everything below a prefix, including access control. The provider is also responsible for shutting it down. */
  readonly raw?: RawPaths;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Records every change and every refusal. */
  readonly audit?: AuditSink;
  /** Long-lived streams: event streams register there, and a change is answered after the streams it revoked are closed. */
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
  /** Can be called several times: for example plain HTTP on the loopback interface and TLS on others. */
  listen(options: ListenOptions): Promise<Listening>;
  routes(): readonly RouteSummary[];
  /** The API description, as served by `/openapi.json`. */
  openapi(): object;
  /** A request without a socket: for tests, and for a process that uses its own API. */
  inject(request: InjectOptions): Promise<LightMyRequestResponse>;
  /**
   * Accepts no more requests, ends the streams, and lets requests in flight finish. Shortly before the deadline the
   * signals of handlers abort; at the deadline, remaining connections are cut. Calling it again waits for the same end.
   */
  close(deadlineMs: number): Promise<void>;
}
