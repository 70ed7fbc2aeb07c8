import { created, defineListRoute, defineRoute, NoContent, noContent, ok, type Route } from '#kit/http';
import { parseResourceName } from '#kit/std';
import { PermissionSchemaParamsSchema, PermissionSchemaSchema, PutPermissionSchemaSchema } from '#protocol/api';
import type { PermissionSchemaReader } from '../application/ports.ts';
import type { PermissionSchemaSpec } from '../domain/permission-schema.ts';
import { permissionSchemaResource } from './permission-schema-resource.ts';
import { change, type RouteParts } from './route-parts.ts';
import { SqlPermissionSchemaReader } from './sql-permission-schema-store.ts';

const COLLECTION = '/v1/permission-schemas';
const ITEM = `${COLLECTION}/{permissionSchema}`;
const tags = ['access'];

/** `/v1/permission-schemas`: the permissions that addons define. */
export function permissionSchemaRoutes(parts: RouteParts): Route[] {
  const reader = new SqlPermissionSchemaReader(parts.storage);
  return [putRoute(parts), getRoute(parts, reader), listRoute(reader), deleteRoute(parts)];
}

function putRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'PUT',
    path: ITEM,
    operationId: 'putPermissionSchema',
    summary: 'Create or update a permission schema',
    description:
      'Refused when the attributes of existing grants do not fit the schema; the error then names the grants.',
    tags,
    permission: 'permissionSchemas.update',
    etag: true,
    ifMatch: 'optional',
    schema: {
      params: PermissionSchemaParamsSchema,
      body: PutPermissionSchemaSchema,
      responses: { 200: PermissionSchemaSchema, 201: PermissionSchemaSchema },
    },
    handler: (request) =>
      change(request, parts, async (unit) => {
        const name = parseResourceName(request.params.permissionSchema);
        const command = { name, spec: specOf(request.body), precondition: request.ifMatch, now: request.time };
        const { schema, before } = await parts.schemas.put(unit, command, request.signal);
        if (before !== undefined) request.changes(permissionSchemaResource(before));
        const resource = permissionSchemaResource(schema);
        const answer = before === undefined ? created(resource, `${COLLECTION}/${name}`) : ok(resource);
        return { answer, change: { kind: 'permissionSchema', schema } };
      }),
  });
}

function getRoute({ schemas }: RouteParts, reader: PermissionSchemaReader): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getPermissionSchema',
    summary: 'Get a permission schema',
    tags,
    permission: 'permissionSchemas.read',
    etag: true,
    schema: { params: PermissionSchemaParamsSchema, responses: { 200: PermissionSchemaSchema } },
    handler: async ({ params, signal }) =>
      ok(permissionSchemaResource(await schemas.get(reader, parseResourceName(params.permissionSchema), signal))),
  });
}

function listRoute(reader: PermissionSchemaReader): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listPermissionSchemas',
    summary: 'List the permission schemas',
    description: 'In the order of their names.',
    tags,
    permission: 'permissionSchemas.read',
    schema: { item: PermissionSchemaSchema },
    filter: { name: 'string', uid: 'string', description: 'string', resourceType: 'string', createTime: 'timestamp' },
    keyOf: ({ name }) => [name],
    read: async ({ signal }, { after, limit }) => {
      const range = { after: after === undefined ? undefined : String(after[0]), limit };
      return (await reader.list(range, signal)).map(permissionSchemaResource);
    },
  });
}

function deleteRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: ITEM,
    operationId: 'deletePermissionSchema',
    summary: 'Delete a permission schema',
    description: 'Refused while grants of the permission exist; the error then names the grants.',
    tags,
    permission: 'permissionSchemas.update',
    ifMatch: 'optional',
    schema: { params: PermissionSchemaParamsSchema, responses: { 204: NoContent } },
    handler: (request) =>
      change(request, parts, async (unit) => {
        const name = parseResourceName(request.params.permissionSchema);
        const command = { name, precondition: request.ifMatch, now: request.time };
        const schema = await parts.schemas.delete(unit, command, request.signal);
        request.changes(permissionSchemaResource(schema));
        return { answer: noContent(), change: { kind: 'permissionSchemaDeleted', uid: schema.uid } };
      }),
  });
}

type RawSpec = Pick<PermissionSchemaSpec, 'resourceType' | 'attributesSchema'> & {
  readonly description?: string;
  readonly roles?: PermissionSchemaSpec['roles'];
};

function specOf({ description, resourceType, attributesSchema, roles = [] }: RawSpec): PermissionSchemaSpec {
  return { description, resourceType, attributesSchema, roles };
}
