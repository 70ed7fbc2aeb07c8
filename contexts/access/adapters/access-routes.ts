import type { Route } from '#kit/http';
import { type Uuid, uuidv7 } from '#kit/std';
import type { Storage } from '#kit/storage';
import { GrantService } from '../application/grant-service.ts';
import { PermissionSchemaService } from '../application/permission-schema-service.ts';
import type { AccessDecisions, AdminCredentials, NotFoundErrors } from '../application/ports.ts';
import type { AccessIndex } from '../domain/access-index.ts';
import { AjvAttributeRules } from './ajv-attribute-rules.ts';
import { accessQuestionRoutes } from './http-access.ts';
import { grantRoutes } from './http-grants.ts';
import { permissionSchemaRoutes } from './http-permission-schemas.ts';
import type { RouteParts } from './route-parts.ts';
import { type UnitOfWorkDeps, unitOfWork } from './sql-unit-of-work.ts';

export interface AccessRoutesDeps extends Pick<UnitOfWorkDeps, 'resourcesIn'> {
  readonly storage: Storage;
  /** Each change is applied to it as soon as it is committed. */
  readonly index: AccessIndex;
  readonly decisions: AccessDecisions;
  readonly notFound: NotFoundErrors;
  readonly admins: AdminCredentials;
  /** For uids of grants, schemas and events. */
  readonly newUid?: () => Uuid;
}

/** Routes for grants, permission schemas and access questions. */
export function accessRoutes(deps: AccessRoutesDeps): Route[] {
  const { storage, index, decisions, notFound, admins, resourcesIn, newUid = uuidv7 } = deps;
  const rules = new AjvAttributeRules();
  const parts: RouteParts = {
    storage,
    index,
    decisions,
    notFound,
    grants: new GrantService({ newUid, decisions, rules, admins, notFound }),
    schemas: new PermissionSchemaService({ newUid, rules }),
    unit: (tx) => unitOfWork(tx, { newUid, resourcesIn }),
  };
  return [...grantRoutes(parts), ...permissionSchemaRoutes(parts), ...accessQuestionRoutes(parts)];
}
