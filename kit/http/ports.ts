import type { IncomingHttpHeaders } from 'node:http';

/** Who is asking: `{ kind: 'service-account', id: '...' }`. Rate limits and idempotency keys are kept per principal. */
export interface Principal {
  readonly kind: string;
  readonly id: string;
}

export interface Credentials {
  /** The token of `Authorization: Bearer`, when there is one. */
  readonly bearer: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
}

export interface Authenticator {
  /** `undefined` when the credentials are missing, unknown or expired; a throw means that nobody can tell right now. */
  authenticate(credentials: Credentials, signal: AbortSignal): Promise<Principal | undefined>;
}

export interface AccessRequest {
  readonly principal: Principal;
  readonly permission: string;
  readonly operationId: string;
  /** As they stand in the path. They are not validated yet: what does not exist cannot be allowed either. */
  readonly params: Readonly<Record<string, string>>;
}

export interface Authorizer {
  allow(access: AccessRequest, signal: AbortSignal): Promise<boolean>;
}

/** What lines about requests carry; a part of the vocabulary of the process's logger. */
export interface HttpLogFields {
  readonly requestId?: string;
  readonly traceId?: string | undefined;
  readonly method?: string;
  readonly path?: string;
  readonly operation?: string | undefined;
  readonly principal?: Principal | undefined;
  readonly remote?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly name?: string;
  readonly reason?: string;
  readonly err?: unknown;
}

export interface HttpLog {
  debug(fields: HttpLogFields, message: string): void;
  info(fields: HttpLogFields, message: string): void;
  warn(fields: HttpLogFields, message: string): void;
  error(fields: HttpLogFields, message: string): void;
}

export interface OperationInfo {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}

/** Counts and times what one operation answers. */
export interface OperationObserver {
  started(): void;
  ended(status: number, seconds: number): void;
}

export interface RequestObserver {
  /** Called once for each operation at start, so that nothing is looked up by label while requests run. */
  operation(info: OperationInfo): OperationObserver;
}

export interface RequestSpan {
  readonly traceId: string | undefined;
  set(attributes: Readonly<Record<string, string | number | boolean>>): void;
}

export interface SpanStart {
  readonly kind: 'server';
  readonly attributes: Readonly<Record<string, string>>;
  /** Where the trace of the caller is continued from. */
  readonly parent: IncomingHttpHeaders;
}

export interface RequestTracer {
  /** Calls the body at once, inside a span that lasts until its promise settles; a rejection marks it as failed. */
  span(name: string, start: SpanStart, body: (span: RequestSpan) => Promise<void>): Promise<void>;
}

/** The metrics of the process, as Prometheus reads them. */
export interface MetricsText {
  readonly contentType: string;
  text(signal: AbortSignal): Promise<string>;
}

/** One thing that must work for this process to be useful, by name. */
export interface Probe {
  readonly name: string;
  /** Resolves when all is well, with a word about it if there is one to say; throws what is wrong. */
  check(signal: AbortSignal): Promise<string | undefined>;
}
