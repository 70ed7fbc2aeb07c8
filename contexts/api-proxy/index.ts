export { ApiProxyError } from './domain/api-proxy-error.ts';
export { auditedQuery } from './domain/audited-query.ts';
export { impersonatorRules, type RoleBinding, roleBindings, roleBindingsWithin } from './domain/cluster-roles.ts';
export { DOOR_PREFIX, type DoorPath, parseDoorPath } from './domain/door-path.ts';
export { asksToImpersonate, forwardedHeaders, type Headers, headerIn } from './domain/header-policy.ts';
export { statusOf } from './domain/kube-status.ts';
export { NotedReads } from './domain/noted-reads.ts';
export {
  IDENTITY_HEADER,
  type ImpersonatedGroups,
  type ImpersonatedUsers,
  type Impersonation,
  identityText,
  impersonationHeaders,
  type ProxyIdentity,
  type ProxyRole,
  parseIdentity,
} from './domain/proxy-identity.ts';
export { RateBook } from './domain/rate-book.ts';
export { requestFault } from './domain/request-fault.ts';
export {
  kindOf,
  type RequestKind,
  STREAM_KINDS,
  type StreamKind,
  secretsIn,
  streamKindOf,
} from './domain/request-kind.ts';
export { StreamBook, type StreamLimits } from './domain/stream-book.ts';
