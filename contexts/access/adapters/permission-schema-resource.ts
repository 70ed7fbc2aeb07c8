import { etagOf } from '#kit/http';
import type { PermissionSchemaResource } from '#protocol/api';
import type { PermissionSchema } from '../domain/permission-schema.ts';

/** A permission schema as the API shows it. */
export function permissionSchemaResource(schema: PermissionSchema): PermissionSchemaResource {
  const { name, uid, description, resourceType, attributesSchema, roles, version } = schema;
  return {
    name,
    uid,
    ...(description === undefined ? {} : { description }),
    resourceType,
    attributesSchema: { ...attributesSchema },
    roles: roles.map(({ role, attributes }) => ({ role, attributes: { ...attributes } })),
    createTime: new Date(schema.createTime).toISOString(),
    updateTime: new Date(schema.updateTime).toISOString(),
    generation: version,
    observedGeneration: version,
    etag: etagOf(schema),
  };
}
