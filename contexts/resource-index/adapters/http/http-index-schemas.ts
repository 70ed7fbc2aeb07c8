import {
  created,
  defineListRoute,
  defineRoute,
  mutate,
  NoContent,
  noContent,
  ok,
  type Principal,
  type Route,
  type RouteRequest,
} from '#kit/http';
import { parseResourceName, type ResourceName } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import {
  IndexSchemaParamsSchema,
  IndexSchemaSchema,
  type PutIndexSchema,
  PutIndexSchemaSchema,
  WorkspaceIndexSchemaParamsSchema,
  WorkspaceIndexSchemasParamsSchema,
} from '#protocol/api';
import type { IndexSchemaService } from '../../application/schemas/index-schema-service.ts';
import type { SchemaUnit } from '../../application/schemas/ports.ts';
import { indexSchemaNotFound } from '../../domain/resource-index-error.ts';
import type { SqlIndexReader } from '../sql/sql-index-reader.ts';
import { schemaResource, specOf } from './resources.ts';

export interface IndexSchemaRoutesDeps {
  readonly storage: Storage;
  readonly reader: SqlIndexReader;
  readonly service: IndexSchemaService;
  readonly unit: (tx: Transaction) => SchemaUnit;
}

const ROOT = parseResourceName('root');
const tags = ['index'];
const FILTER = {
  name: 'string',
  targetType: 'string',
  createTime: 'timestamp',
  updateTime: 'timestamp',
} as const;

/**
 * One of the two collections of schemas. Schemas of the root workspace apply to all targets, and their URLs name no workspace.
 */
interface Home {
  readonly collection: string;
  /** Part of the operation ids. */
  readonly infix: '' | 'Workspace';
  readonly where: string;
}

const GLOBAL: Home = { collection: '/v1/index-schemas', infix: '', where: 'for all targets' };
const OF_WORKSPACE: Home = {
  collection: '/v1/workspaces/{workspace}/index-schemas',
  infix: 'Workspace',
  where: 'for the targets of a workspace',
};

/** `/v1/index-schemas`, and the same below workspaces: what is indexed in addition to the built-in kinds. */
export function indexSchemaRoutes(deps: IndexSchemaRoutesDeps): Route[] {
  return [
    putRoute(deps, GLOBAL, IndexSchemaParamsSchema),
    getRoute(deps, GLOBAL, IndexSchemaParamsSchema),
    deleteRoute(deps, GLOBAL, IndexSchemaParamsSchema),
    defineListRoute({ ...listOf(deps, GLOBAL), schema: { item: IndexSchemaSchema } }),
    putRoute(deps, OF_WORKSPACE, WorkspaceIndexSchemaParamsSchema),
    getRoute(deps, OF_WORKSPACE, WorkspaceIndexSchemaParamsSchema),
    deleteRoute(deps, OF_WORKSPACE, WorkspaceIndexSchemaParamsSchema),
    defineListRoute({
      ...listOf(deps, OF_WORKSPACE),
      schema: { params: WorkspaceIndexSchemasParamsSchema, item: IndexSchemaSchema },
    }),
  ];
}

type ItemParams = typeof IndexSchemaParamsSchema | typeof WorkspaceIndexSchemaParamsSchema;

function putRoute(deps: IndexSchemaRoutesDeps, { collection, infix, where }: Home, params: ItemParams): Route {
  const { storage, service, unit } = deps;
  return defineRoute({
    method: 'PUT',
    path: `${collection}/{indexSchema}`,
    operationId: `put${infix}IndexSchema`,
    summary: `Create or replace an index schema ${where}`,
    description:
      'Connected agents are notified immediately. Refused if it conflicts with another schema that applies to the same targets. Values of Secrets and ConfigMaps never leave a cluster, whatever the schema asks for.',
    tags,
    permission: 'indexSchemas.update',
    etag: true,
    ifMatch: 'optional',
    schema: {
      params,
      body: PutIndexSchemaSchema,
      responses: { 200: IndexSchemaSchema, 201: IndexSchemaSchema },
    },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const key = keyIn(request.params);
        const spec = specOf(request.body as PutIndexSchema);
        const command = { key, spec, precondition: request.ifMatch, now: request.time };
        const { schema, before } = await service.put(unit(tx), command, request.signal);
        if (before !== undefined) request.changes(schemaResource(before));
        const resource = schemaResource(schema);
        return before === undefined ? created(resource, placeOf(collection, key)) : ok(resource);
      }),
  });
}

function getRoute({ reader }: IndexSchemaRoutesDeps, { collection, infix, where }: Home, params: ItemParams): Route {
  return defineRoute({
    method: 'GET',
    path: `${collection}/{indexSchema}`,
    operationId: `get${infix}IndexSchema`,
    summary: `Get an index schema ${where}`,
    tags,
    permission: 'indexSchemas.read',
    etag: true,
    schema: { params, responses: { 200: IndexSchemaSchema } },
    handler: async ({ params: named, signal }) => {
      const { workspace, name } = keyIn(named);
      const schema = await reader.schema(workspace, name, signal);
      if (schema === undefined) throw indexSchemaNotFound(name);
      return ok(schemaResource(schema));
    },
  });
}

function deleteRoute(deps: IndexSchemaRoutesDeps, { collection, infix, where }: Home, params: ItemParams): Route {
  const { storage, service, unit } = deps;
  return defineRoute({
    method: 'DELETE',
    path: `${collection}/{indexSchema}`,
    operationId: `delete${infix}IndexSchema`,
    summary: `Delete an index schema ${where}`,
    description: 'Objects that were indexed only because of it are removed once the agents have been notified.',
    tags,
    permission: 'indexSchemas.update',
    ifMatch: 'optional',
    schema: { params, responses: { 204: NoContent } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const command = { key: keyIn(request.params), precondition: request.ifMatch, now: request.time };
        request.changes(schemaResource(await service.delete(unit(tx), command, request.signal)));
        return noContent();
      }),
  });
}

function listOf({ reader }: IndexSchemaRoutesDeps, { collection, infix, where }: Home) {
  type Request = Pick<RouteRequest<unknown, unknown, unknown, Principal>, 'params' | 'signal'>;
  return {
    path: collection,
    operationId: `list${infix}IndexSchemas`,
    summary: `List the index schemas ${where}`,
    description: 'Ordered by name. The index status of a target shows its effective schema.',
    tags,
    permission: 'indexSchemas.read',
    filter: FILTER,
    keyOf: ({ name }: { readonly name: string }) => [name] as const,
    read: async (
      { params, signal }: Request,
      { after, limit }: { readonly after: readonly (string | number)[] | undefined; readonly limit: number },
    ) => {
      const range = { after: after === undefined ? undefined : String(after[0]), limit };
      return (await reader.schemas(workspaceIn(params), range, signal)).map(schemaResource);
    },
  } as const;
}

function keyIn(params: unknown): { readonly workspace: ResourceName; readonly name: ResourceName } {
  const { indexSchema = '' } = params as { readonly indexSchema?: string };
  return { workspace: workspaceIn(params), name: parseResourceName(indexSchema) };
}

function workspaceIn(params: unknown): ResourceName {
  const { workspace } = (params ?? {}) as { readonly workspace?: string };
  return workspace === undefined ? ROOT : parseResourceName(workspace);
}

function placeOf(collection: string, { workspace, name }: ReturnType<typeof keyIn>): string {
  return `${collection.replace('{workspace}', workspace)}/${name}`;
}
