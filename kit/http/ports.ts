import type { IncomingHttpHeaders } from 'node:http';
import type { Transaction } from '#kit/storage';

/** Who is asking: `{ kind: 'service-account', id: '...' }`. Rate limits and idempotency keys are kept per principal. */
export interface Principal {
  readonly kind: string;
  readonly id: string;
  /** Whatever is granted to one of these is granted to the principal. */
  readonly groups?: readonly string[];
  /** Where its credentials can do less than the principal itself could. */
  readonly scope?: PrincipalScope;
  /** When these credentials end by themselves, where they do: in milliseconds since the epoch. */
  readonly until?: number;
  /** Which credentials it showed, by ids that are no secrets: the audit names them. */
  readonly shown?: ShownCredentials;
}

export interface ShownCredentials {
  readonly token?: string;
  readonly session?: string;
}

export interface PrincipalScope {
  /** Nothing outside this resource and what is below it, as the API writes it: `things/lamp`. */
  readonly within?: string;
  /** Nothing that these roles do not imply. */
  readonly roles?: readonly string[];
}

export interface Credentials {
  /** The token of `Authorization: Bearer`, when there is one. */
  readonly bearer: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Cookies are sent by whatever page asks a browser to, so what they may do depends on it. */
  readonly method: string;
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
  readonly reach: Reach;
}

/**
 * `path`: the permission is needed for what the path names, or for everything when it names nothing. `filtered`: whoever
 * is known may ask, and the handler shows and changes only what it has asked about itself.
 */
export type Reach = 'path' | 'filtered';

export interface Authorizer {
  /** Throws a `FleetError` of category not-found when what the path names does not exist for this principal. */
  allow(access: AccessRequest, signal: AbortSignal): Promise<boolean>;
}

/** One thing that somebody did, or tried to do. It holds hashes where contents might be secret. */
export interface AuditEntry {
  readonly time: number;
  readonly requestId: string;
  /** What the caller calls it: to be searched for, and not to be relied on. */
  readonly clientRequestId?: string;
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** What it was done to: the path of the request, or of what it created. */
  readonly resource: string;
  readonly principal: Principal | undefined;
  readonly address: string;
  readonly outcome: AuditOutcome;
  readonly before?: string;
  readonly after?: string;
}

export const AUDIT_OUTCOMES = ['done', 'denied', 'hidden', 'unauthenticated'] as const;
/** `hidden`: what was asked for does not exist, at least not for the one who asked. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export interface AuditSink {
  /** Kept if and only if the transaction is. */
  append(tx: Transaction, entry: AuditEntry): Promise<void>;
  /** Kept when it resolves: for what is done outside the database, and is noted down before it is done. */
  note(entry: AuditEntry, signal: AbortSignal): Promise<void>;
  /** Takes it down soon. Never throws, and never waits. */
  refused(entry: AuditEntry): void;
}

/** What lines about requests carry; a part of the vocabulary of the process's logger. */
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
