export type {
  AccessDecisions,
  AdminCredentials,
  FoundResource,
  Identity,
  NotFoundErrors,
  ResourceReader,
  Verdict,
} from './application/ports.ts';
export type { AccessChange, IndexedGrant, IndexedSchema } from './domain/access-change.ts';
export { ACCESS_EVENTS, type AccessEventType } from './domain/access-event.ts';
export { AccessIndex } from './domain/access-index.ts';
export { askerOf, type Caller, type CallerScope } from './domain/asker.ts';
export type { Grant, GrantedOn } from './domain/grant.ts';
export { PERMISSIONS, type PermissionName } from './domain/permission.ts';
export type { ResourceKind, ResourceRef } from './domain/resource-ref.ts';
export { ROLES, type Role } from './domain/role.ts';
export type { Subject } from './domain/subject.ts';
export type { VisibleSet } from './domain/visible-set.ts';
