import { created, defineListRoute, defineRoute, mutate, NoContent, noContent, ok, type Route } from '#kit/http';
import { parseResourceName, type Uuid, uuidv7 } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import {
  NewWorkspaceSchema,
  WorkspaceListQuerySchema,
  WorkspaceParamsSchema,
  WorkspacePatchSchema,
  WorkspaceSchema,
} from '#protocol/api';
import type { UnitOfWork, WorkspaceReader } from '../application/ports.ts';
import { WorkspaceService } from '../application/workspace-service.ts';
import { unitOfWork } from './sql-unit-of-work.ts';
import { SqlWorkspaceReader } from './sql-workspace-reader.ts';
import { toResource } from './workspace-resource.ts';

export interface WorkspaceRoutesDeps {
  readonly storage: Storage;
  /** For workspaces and for events. */
  readonly newUid?: () => Uuid;
}

/** What the routes share. */
interface Parts {
  readonly storage: Storage;
  readonly reader: WorkspaceReader;
  readonly service: WorkspaceService;
  readonly unit: (tx: Transaction) => UnitOfWork;
}

const COLLECTION = '/v1/workspaces';
const ITEM = `${COLLECTION}/{workspace}`;
const tags = ['workspaces'];

/** `/v1/workspaces`: the tree as a REST resource. */
export function workspaceRoutes({ storage, newUid = uuidv7 }: WorkspaceRoutesDeps): Route[] {
  const parts: Parts = {
    storage,
    reader: new SqlWorkspaceReader(storage),
    service: new WorkspaceService({ newUid }),
    unit: (tx) => unitOfWork(tx, newUid),
  };
  return [createRoute(parts), getRoute(parts), listRoute(parts), patchRoute(parts), deleteRoute(parts)];
}

function createRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'POST',
    path: COLLECTION,
    operationId: 'createWorkspace',
    summary: 'Create a workspace',
    tags,
    permission: 'workspaces.create',
    etag: true,
    idempotency: 'replay',
    schema: { body: NewWorkspaceSchema, responses: { 201: WorkspaceSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const command = { draft: request.body, now: request.time };
        const workspace = await service.create(unit(tx), command, request.signal);
        return created(toResource(workspace), `${COLLECTION}/${workspace.name}`);
      }),
  });
}

function getRoute({ reader, service }: Parts): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getWorkspace',
    summary: 'Get a workspace',
    tags,
    permission: 'workspaces.read',
    etag: true,
    schema: { params: WorkspaceParamsSchema, responses: { 200: WorkspaceSchema } },
    handler: async ({ params, signal }) =>
      ok(toResource(await service.get(reader, parseResourceName(params.workspace), signal))),
  });
}

function listRoute({ reader }: Parts): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listWorkspaces',
    summary: 'List workspaces',
    description: 'In the order of their names, the root among them.',
    tags,
    permission: 'workspaces.read',
    schema: {
      // The filter can ask for a parent too, but it looks at every workspace; this looks at those in the parent only.
      query: WorkspaceListQuerySchema,
      item: WorkspaceSchema,
    },
    filter: {
      name: 'string',
      displayName: 'string',
      kind: 'string',
      parent: 'string',
      labels: 'map<string, string>',
      createTime: 'timestamp',
      updateTime: 'timestamp',
    },
    keyOf: ({ name }) => [name],
    read: async ({ query, signal }, { after, limit }) => {
      const parent = query.parent === undefined ? undefined : parseResourceName(query.parent);
      const range = { parent, after: after === undefined ? undefined : String(after[0]), limit };
      return (await reader.list(range, signal)).map(toResource);
    },
  });
}

function patchRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'PATCH',
    path: ITEM,
    operationId: 'patchWorkspace',
    summary: 'Change a workspace',
    description: 'A JSON merge patch. One that changes nothing leaves the etag as it is.',
    tags,
    permission: 'workspaces.update',
    etag: true,
    ifMatch: 'optional',
    schema: { params: WorkspaceParamsSchema, body: WorkspacePatchSchema, responses: { 200: WorkspaceSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const name = parseResourceName(request.params.workspace);
        const command = { name, precondition: request.ifMatch, patch: request.body, now: request.time };
        return ok(toResource(await service.patch(unit(tx), command, request.signal)));
      }),
  });
}

function deleteRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'DELETE',
    path: ITEM,
    operationId: 'deleteWorkspace',
    summary: 'Delete a workspace',
    description: 'Refused while something is in it; the answer then says what.',
    tags,
    permission: 'workspaces.delete',
    ifMatch: 'optional',
    schema: { params: WorkspaceParamsSchema, responses: { 204: NoContent } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const name = parseResourceName(request.params.workspace);
        const command = { name, precondition: request.ifMatch, now: request.time };
        await service.delete(unit(tx), command, request.signal);
        return noContent();
      }),
  });
}
