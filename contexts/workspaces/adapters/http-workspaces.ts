import {
  auditedPrecondition,
  created,
  defineListRoute,
  defineRoute,
  mutate,
  NoContent,
  noContent,
  ok,
  type Route,
  type Visibility,
} from '#kit/http';
import { parseResourceName, type Uuid, uuidv7 } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import {
  MovedWorkspaceSchema,
  MoveWorkspaceSchema,
  NewWorkspaceSchema,
  WorkspaceListQuerySchema,
  WorkspaceParamsSchema,
  WorkspacePatchSchema,
  WorkspaceSchema,
} from '#protocol/api';
import type {
  ContentsReader,
  DeleteObserver,
  MoveObserver,
  UnitOfWork,
  VisibleSet,
  WorkspaceReader,
} from '../application/ports.ts';
import { WorkspaceService } from '../application/workspace-service.ts';
import type { RawDraft } from '../domain/new-workspace.ts';
import type { WorkspacePatch } from '../domain/patch-workspace.ts';
import { parentOf, ROOT } from '../domain/workspace.ts';
import { unitOfWork } from './sql-unit-of-work.ts';
import { SqlWorkspaceReader } from './sql-workspace-reader.ts';
import { toResource } from './workspace-resource.ts';

export interface WorkspaceRoutesDeps {
  readonly storage: Storage;
  readonly visibility: Visibility<VisibleSet>;
  /** The contents that block a delete, in the order in which they are reported. */
  readonly contents?: readonly ((tx: Transaction) => ContentsReader)[];
  readonly moveObservers?: readonly ((tx: Transaction) => MoveObserver)[];
  readonly deleteObservers?: readonly ((tx: Transaction) => DeleteObserver)[];
  /** For workspaces and events. */
  readonly newUid?: () => Uuid;
}

/** Shared by the routes. */
interface Parts {
  readonly storage: Storage;
  readonly reader: WorkspaceReader;
  readonly service: WorkspaceService;
  readonly visibility: Visibility<VisibleSet>;
  readonly unit: (tx: Transaction) => UnitOfWork;
}

const COLLECTION = '/v1/workspaces';
const ITEM = `${COLLECTION}/{workspace}`;
const tags = ['workspaces'];

/** `/v1/workspaces`: the tree as a REST resource. */
export function workspaceRoutes(deps: WorkspaceRoutesDeps): Route[] {
  const { storage, visibility, contents = [], moveObservers = [], deleteObservers = [], newUid = uuidv7 } = deps;
  const parts: Parts = {
    storage,
    visibility,
    reader: new SqlWorkspaceReader(storage),
    service: new WorkspaceService({ newUid }),
    unit: (tx) => unitOfWork(tx, { newId: newUid, contents, moveObservers, deleteObservers }),
  };
  return [
    createRoute(parts),
    getRoute(parts),
    listRoute(parts),
    patchRoute(parts),
    moveRoute(parts),
    deleteRoute(parts),
  ];
}

function createRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'POST',
    path: COLLECTION,
    operationId: 'createWorkspace',
    summary: 'Create a workspace',
    tags,
    permission: 'workspaces.create',
    reach: 'filtered',
    etag: true,
    idempotency: 'replay',
    schema: { body: NewWorkspaceSchema, responses: { 201: WorkspaceSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        // Authorized here, so that a repeated request gets its answer even when the parent no longer exists.
        await request.authorize('workspaces.create', { workspace: request.body.parent ?? ROOT });
        await mayDemand(request, request.body.parent ?? ROOT);
        const command = { draft: request.body as RawDraft, now: request.time };
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

function listRoute({ reader, visibility }: Parts): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listWorkspaces',
    summary: 'List workspaces',
    description: 'The workspaces that the caller may see, ordered by name.',
    tags,
    permission: 'workspaces.read',
    reach: 'filtered',
    schema: {
      // A filter by parent would scan every workspace; this parameter uses an index.
      query: WorkspaceListQuerySchema,
      item: WorkspaceSchema,
    },
    filter: {
      name: 'string',
      displayName: 'string',
      kind: 'string',
      parent: 'string',
      slug: 'string',
      region: 'string',
      labels: 'map<string, string>',
      createTime: 'timestamp',
      updateTime: 'timestamp',
    },
    keyOf: ({ name }) => [name],
    read: async ({ query, principal, signal }, { after, limit }) => {
      const { parent, subtree = false } = query;
      const range = {
        within: parent === undefined ? undefined : { parent: parseResourceName(parent), subtree },
        visible: await visibility.of(principal, 'workspaces.read', signal),
        after: after === undefined ? undefined : String(after[0]),
        limit,
      };
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
    description:
      'A JSON merge patch. A patch that changes nothing keeps the etag. Changing `policy` also requires the permission `workspaces.setPolicy`.',
    tags,
    permission: 'workspaces.update',
    etag: true,
    ifMatch: 'optional',
    schema: { params: WorkspaceParamsSchema, body: WorkspacePatchSchema, responses: { 200: WorkspaceSchema } },
    handler: async (request) => {
      await mayDemand(request, request.params.workspace);
      return await mutate(request, storage, async (tx) => {
        const name = parseResourceName(request.params.workspace);
        const patch = request.body as WorkspacePatch;
        const command = { name, precondition: auditedPrecondition(request, toResource), patch, now: request.time };
        return ok(toResource(await service.patch(unit(tx), command, request.signal)));
      });
    },
  });
}

function moveRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:move`,
    operationId: 'moveWorkspace',
    summary: 'Move a workspace with its subtree',
    description:
      'Requires the permission on the workspace, on its new parent and on the one it leaves. A dry run shows what would change.',
    tags,
    permission: 'workspaces.move',
    ifMatch: 'optional',
    schema: { params: WorkspaceParamsSchema, body: MoveWorkspaceSchema, responses: { 200: MovedWorkspaceSchema } },
    handler: async (request) => {
      await request.authorize('workspaces.move', { workspace: request.body.parent });
      return await mutate(request, storage, async (tx) => {
        const name = parseResourceName(request.params.workspace);
        const parent = parseResourceName(request.body.parent);
        // Read in the transaction: the workspace may have another parent by now.
        const leaves = parentOf(await service.get(unit(tx).workspaces, name, request.signal));
        if (leaves !== undefined) await request.authorizeLeaving('workspaces.move', leaves);
        const command = { name, parent, precondition: auditedPrecondition(request, toResource), now: request.time };
        const { workspace, changes } = await service.move(unit(tx), command, request.signal);
        return ok({ workspace: toResource(workspace), changes });
      });
    },
  });
}

function deleteRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'DELETE',
    path: ITEM,
    operationId: 'deleteWorkspace',
    summary: 'Delete a workspace',
    description: 'Refused while the workspace is not empty; the answer lists its contents.',
    tags,
    permission: 'workspaces.delete',
    ifMatch: 'optional',
    schema: { params: WorkspaceParamsSchema, responses: { 204: NoContent } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const name = parseResourceName(request.params.workspace);
        const command = { name, precondition: auditedPrecondition(request, toResource), now: request.time };
        await service.delete(unit(tx), command, request.signal);
        return noContent();
      }),
  });
}

interface Demanding {
  readonly body: { readonly policy?: unknown };
  authorize(permission: string, params: Readonly<Record<string, string>>): Promise<void>;
}

/** A policy binds every deployment below the workspace, so setting it needs an extra permission. */
async function mayDemand(request: Demanding, workspace: string): Promise<void> {
  if (request.body.policy !== undefined) await request.authorize('workspaces.setPolicy', { workspace });
}
