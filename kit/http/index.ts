export { HttpError, type HttpErrorCode, type HttpErrorOptions } from './errors/http-error.ts';
export { type Problem, wireCode } from './errors/problem.ts';
export { auditedPrecondition, etagOf, IfMatch } from './etag.ts';
export {
  defineEventStream,
  type EventStreamDefinition,
  type EventStreamDeps,
} from './events/define-event-stream.ts';
export { type EventIds, opaqueEventIds } from './events/event-ids.ts';
export type { EventRecord, EventSource } from './events/event-source.ts';
export { type Chunk, defineListRoute, type ListDefinition } from './lists/define-list-route.ts';
export { type FilterFields, FilterLanguage, type FilterType, type Predicate } from './lists/filter.ts';
export { type Scan, type ScanBudget, type ScannedPage } from './lists/page-through.ts';
export { type PageKey, type PageKeyShape, PageTokens } from './lists/page-token.ts';
export {
  type AccessRequest,
  AUDIT_OUTCOMES,
  type AuditEntry,
  type AuditOutcome,
  type AuditSink,
  type Authenticator,
  type Authorizer,
  type Credentials,
  type HttpLog,
  type HttpLogFields,
  type MetricsText,
  type OperationInfo,
  type OperationObserver,
  type Principal,
  type PrincipalScope,
  type Probe,
  type Reach,
  type RequestObserver,
  type RequestSpan,
  type RequestTracer,
  type SpanStart,
  type Visibility,
} from './ports.ts';
export { type Answer, answer, created, NoContent, noContent, ok } from './routes/answer.ts';
export { defineRoute, type RouteDefinition } from './routes/define-route.ts';
export type { Method, Permission, Route } from './routes/route.ts';
export type { RouteRequest } from './routes/route-request.ts';
export { createHttpServer } from './server/create-http-server.ts';
export type { ApiInfo, HttpServer, HttpServerDeps, HttpServerOptions, RouteSummary } from './server/http-server.ts';
export { DEFAULT_LIMITS, type HttpLimits, type Rate } from './server/limits.ts';
export type { ListenAddress, Listening, ListenOptions, RawPaths, Upgrade } from './server/listeners.ts';
export { plainAddress, trustedProxies } from './server/trusted-proxies.ts';
export {
  type EndCause,
  type OpenStream,
  OpenStreams,
  type OpenStreamsDeps,
  type StreamEnd,
} from './streams/open-streams.ts';
export { httpMigrations, purgeIdempotencyKeys } from './writes/idempotency-store.ts';
export { mutate } from './writes/mutate.ts';
