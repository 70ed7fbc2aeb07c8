export type { AccessDecisions, FoundResource, Identity, NotFoundErrors, ResourceReader } from './application/ports.ts';
export type { AccessChange, IndexedGrant } from './domain/access-change.ts';
export { ACCESS_EVENTS } from './domain/access-event.ts';
export { AccessIndex } from './domain/access-index.ts';
export { askerOf, type Caller } from './domain/asker.ts';
export { PERMISSIONS, type PermissionName } from './domain/permission.ts';
export { ROLES, type Role } from './domain/role.ts';
export type { VisibleSet } from './domain/visible-set.ts';
