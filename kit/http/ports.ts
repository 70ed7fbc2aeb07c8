import type { IncomingHttpHeaders } from 'node:http';
import type { Transaction } from '#kit/storage';

/** The caller: `{ kind: 'service-account', id: '...' }`. Rate limits and idempotency keys are kept per principal. */
export interface Principal {
  readonly kind: string;
  readonly id: string;
  /** Grants to any of these groups apply to the principal. */
  readonly groups?: readonly string[];
  /** Set if the credentials can do less than the principal itself. */
  readonly scope?: PrincipalScope;
  /** When these credentials expire, if they do: in milliseconds since the epoch. */
  readonly until?: number;
  /** Non-secret ids of the presented credentials, for the audit log. */
  readonly shown?: ShownCredentials;
}

export interface ShownCredentials {
  readonly token?: string;
  readonly session?: string;
}

export interface PrincipalScope {
  /** Restricts access to this resource and everything below it, as the API writes it: `things/lamp`. */
  readonly within?: string;
  /** Restricts access to what these roles imply. */
  readonly roles?: readonly string[];
}

export interface Credentials {
  /** The token of `Authorization: Bearer`, if there is one. */
  readonly bearer: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Browsers send cookies with requests from any page, so what cookies may do depends on the method. */
  readonly method: string;
  readonly address: string;
}

export interface Authenticator {
  /** `undefined` if the credentials are missing, unknown or expired; throws if they cannot be checked now. */
  authenticate(credentials: Credentials, signal: AbortSignal): Promise<Principal | undefined>;
}

export interface AccessRequest {
  readonly principal: Principal;
  readonly permission: string;
  readonly operationId: string;
  /** Path parameters, not validated yet: access to what does not exist cannot be granted either. */
  readonly params: Readonly<Record<string, string>>;
  readonly reach: Reach;
}

/**
 * `path`: the permission is required on the resource that the path names, or on everything if it names none.
 * `filtered`: every authenticated caller may ask, and the handler checks each item that it shows or changes.
 */
export type Reach = 'path' | 'filtered';

export interface Authorizer {
  /** Throws a `FleetError` of category not-found if the resource named in the path does not exist for this principal. */
  allow(access: AccessRequest, signal: AbortSignal): Promise<boolean>;
}

/** One action, performed or attempted. It holds hashes where contents might be secret. */
export interface AuditEntry {
  readonly time: number;
  readonly requestId: string;
  /** The caller's own id: useful for searching, but not reliable. */
  readonly clientRequestId?: string;
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** The affected resource: the path of the request, or of the created resource. */
  readonly resource: string;
  readonly principal: Principal | undefined;
  readonly address: string;
  readonly outcome: AuditOutcome;
  readonly before?: string;
  readonly after?: string;
}

export const AUDIT_OUTCOMES = ['done', 'denied', 'hidden', 'unauthenticated'] as const;
/** `hidden`: the resource does not exist, at least not for this caller. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export interface AuditSink {
  /** Stored if and only if the transaction commits. */
  append(tx: Transaction, entry: AuditEntry): Promise<void>;
  /** Durable when it resolves: for actions outside the database, which are recorded before they are performed. */
  note(entry: AuditEntry, signal: AbortSignal): Promise<void>;
  /**
   * Records that a request was refused. Resolves when the entry is durable, at once if it is only counted, and after a
   * bounded wait if it cannot be stored now. Never rejects.
   */
  refused(entry: AuditEntry): Promise<void>;
}

/** Log fields of requests; a subset of the log keys of the process. */
export interface HttpLogFields {
  readonly requestId?: string;
  readonly clientRequestId?: string;
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

/** Counts and times the responses of one operation. */
export interface OperationObserver {
  started(): void;
  ended(status: number, seconds: number): void;
}

export interface RequestObserver {
  /** Called once for each operation at startup, so that no label lookup is needed per request. */
  operation(info: OperationInfo): OperationObserver;
}

export interface RequestSpan {
  readonly traceId: string | undefined;
  set(attributes: Readonly<Record<string, string | number | boolean>>): void;
}

export interface SpanStart {
  readonly kind: 'server';
  readonly attributes: Readonly<Record<string, string>>;
  /** The request headers, which may continue the caller's trace. */
  readonly parent: IncomingHttpHeaders;
}

export interface RequestTracer {
  /** Calls the body at once, inside a span that lasts until its promise settles; a rejection marks the span as failed. */
  span(name: string, start: SpanStart, body: (span: RequestSpan) => Promise<void>): Promise<void>;
}

/** The metrics of the process, in Prometheus format. */
export interface MetricsText {
  readonly contentType: string;
  text(signal: AbortSignal): Promise<string>;
}

/** A named dependency that must work for this process to be ready. */
export interface Probe {
  readonly name: string;
  /**
   * What its failure makes of the process, `unready` by default. A process that is `degraded` still serves some requests, and
   * stays behind its load balancer: when all replicas lack the same thing, taking them all out would end what still works.
   */
  readonly onFailure?: 'unready' | 'degraded';
  /** Resolves if the dependency works, optionally with a note; throws otherwise. */
  check(signal: AbortSignal): Promise<string | undefined>;
}

/** What a caller may see with a permission. All other resources look as if they did not exist (404). */
export interface Visibility<Visible> {
  of(principal: Principal, permission: string, signal: AbortSignal): Promise<Visible>;
}
