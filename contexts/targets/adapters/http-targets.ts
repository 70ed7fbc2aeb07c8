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
import type { Reader, Storage, Transaction } from '#kit/storage';
import {
  AssignTargetSchema,
  DeleteTargetQuerySchema,
  MergeTargetSchema,
  NewTargetSchema,
  TargetListQuerySchema,
  TargetParamsSchema,
  TargetPatchSchema,
  TargetSchema,
} from '#protocol/api';
import type {
  AddonTypes,
  DeleteObserver,
  MergeObserver,
  TargetReader,
  UnitOfWork,
  VisibleSet,
  WorkspaceDirectory,
} from '../application/ports.ts';
import { TargetService } from '../application/target-service.ts';
import type { TargetPatch } from '../domain/change-target.ts';
import type { RawTargetDraft } from '../domain/new-target.ts';
import { shownIn, shownTargets } from './shown-targets.ts';
import { SqlTargetReader } from './sql-target-reader.ts';
import { targetUnitOfWork } from './sql-unit-of-work.ts';
import { toResource } from './target-resource.ts';

export interface TargetRoutesDeps {
  readonly storage: Storage;
  readonly visibility: Visibility<VisibleSet>;
  /** The workspaces, in the same transaction or snapshot. */
  readonly workspaces: (reader: Reader) => WorkspaceDirectory;
  readonly addonTypes: AddonTypes;
  readonly deleteObservers?: readonly ((tx: Transaction) => DeleteObserver)[];
  readonly mergeObservers?: readonly ((tx: Transaction) => MergeObserver)[];
  /** For targets and events. */
  readonly newUid?: () => Uuid;
}

/** Shared by the routes. */
interface Parts {
  readonly storage: Storage;
  readonly reader: TargetReader;
  readonly service: TargetService;
  readonly visibility: Visibility<VisibleSet>;
  readonly unit: (tx: Transaction) => UnitOfWork;
}

const COLLECTION = '/v1/targets';
const ITEM = `${COLLECTION}/{target}`;
const tags = ['targets'];

/** `/v1/targets`: targets as a REST resource. */
export function targetRoutes(deps: TargetRoutesDeps): Route[] {
  const {
    storage,
    visibility,
    workspaces,
    addonTypes,
    deleteObservers = [],
    mergeObservers = [],
    newUid = uuidv7,
  } = deps;
  const parts: Parts = {
    storage,
    visibility,
    reader: new SqlTargetReader({ storage, workspaces }),
    service: new TargetService({ newUid, addonTypes }),
    unit: (tx) => targetUnitOfWork(tx, { newId: newUid, workspaces, deleteObservers, mergeObservers }),
  };
  return [
    registerRoute(parts),
    getRoute(parts),
    listRoute(parts),
    patchRoute(parts),
    assignRoute(parts),
    lifecycleRoute(parts, {
      verb: 'cordon',
      lifecycle: 'Cordoned',
      summary: 'Cordon a target: it keeps its deployments and gets no new ones',
    }),
    lifecycleRoute(parts, { verb: 'uncordon', lifecycle: 'Active', summary: 'Uncordon a target' }),
    mergeRoute(parts),
    reidentifyRoute(parts),
    deleteRoute(parts),
  ];
}

function registerRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'POST',
    path: COLLECTION,
    operationId: 'createTarget',
    summary: 'Register a target',
    tags,
    permission: 'targets.create',
    reach: 'filtered',
    etag: true,
    idempotency: 'replay',
    schema: { body: NewTargetSchema, responses: { 201: TargetSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        // Authorized here, so that a repeated request gets its answer even when the workspace no longer exists.
        await request.authorize('targets.create', { workspace: request.body.workspace });
        // The request was JSON, so whatever the schema leaves open is JSON too.
        const command = { draft: request.body as RawTargetDraft, now: request.time };
        const target = await service.register(unit(tx), command, request.signal);
        return created(toResource(target), `${COLLECTION}/${target.name}`);
      }),
  });
}

function getRoute({ reader, service, visibility }: Parts): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getTarget',
    summary: 'Get a target',
    tags,
    permission: 'targets.read',
    etag: true,
    schema: { params: TargetParamsSchema, responses: { 200: TargetSchema } },
    handler: async ({ params, principal, signal }) => {
      const target = await service.get(reader, parseResourceName(params.target), signal);
      const [resource = toResource(target)] = await shownTargets(
        [target],
        { principal, visibility, targets: reader },
        signal,
      );
      return ok(resource);
    },
  });
}

function listRoute({ reader, visibility }: Parts): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listTargets',
    summary: 'List targets',
    description: 'The targets that the caller may see, ordered by name.',
    tags,
    permission: 'targets.read',
    reach: 'filtered',
    schema: {
      // A filter by workspace would scan every target; this parameter uses an index. A filter by type is impossible, because
      // `type` is a function in CEL.
      query: TargetListQuerySchema,
      item: TargetSchema,
    },
    filter: {
      name: 'string',
      workspace: 'string',
      labels: 'map<string, string>',
      reportedLabels: 'map<string, string>',
      lifecycle: 'string',
      connection: { state: 'string', lastSeenTime: 'timestamp' },
      createTime: 'timestamp',
      updateTime: 'timestamp',
    },
    keyOf: ({ name }) => [name],
    read: async ({ query, principal, signal }, { after, limit }) => {
      const { workspace, subtree = false, type } = query;
      const range = {
        within: workspace === undefined ? undefined : { workspace: parseResourceName(workspace), subtree },
        type,
        visible: await visibility.of(principal, 'targets.read', signal),
        after: after === undefined ? undefined : String(after[0]),
        limit,
      };
      return await shownTargets(await reader.list(range, signal), { principal, visibility, targets: reader }, signal);
    },
  });
}

function patchRoute({ storage, service, unit, visibility }: Parts): Route {
  return defineRoute({
    method: 'PATCH',
    path: ITEM,
    operationId: 'patchTarget',
    summary: 'Change a target',
    description: 'A JSON merge patch. A patch that changes nothing keeps the etag.',
    tags,
    permission: 'targets.update',
    etag: true,
    ifMatch: 'optional',
    schema: { params: TargetParamsSchema, body: TargetPatchSchema, responses: { 200: TargetSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const its = unit(tx);
        const name = parseResourceName(request.params.target);
        const command = {
          name,
          precondition: auditedPrecondition(request, toResource),
          patch: request.body as TargetPatch,
          now: request.time,
        };
        return ok(await shownIn(its, await service.patch(its, command, request.signal), { request, visibility }));
      }),
  });
}

function assignRoute({ storage, service, unit, visibility }: Parts): Route {
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:assign`,
    operationId: 'assignTarget',
    summary: 'Move a target to another workspace',
    description: 'Requires the permission on the target, on its new workspace and on the one it leaves.',
    tags,
    permission: 'targets.assign',
    etag: true,
    ifMatch: 'optional',
    schema: { params: TargetParamsSchema, body: AssignTargetSchema, responses: { 200: TargetSchema } },
    handler: async (request) => {
      await request.authorize('targets.assign', { workspace: request.body.workspace });
      return await mutate(request, storage, async (tx) => {
        const its = unit(tx);
        const name = parseResourceName(request.params.target);
        const workspace = parseResourceName(request.body.workspace);
        // Read in the transaction: the target may be in another workspace by now.
        const leaves = (await service.get(its.targets, name, request.signal)).workspace.name;
        await request.authorizeLeaving('targets.assign', leaves);
        const command = { name, workspace, precondition: auditedPrecondition(request, toResource), now: request.time };
        return ok(await shownIn(its, await service.assign(its, command, request.signal), { request, visibility }));
      });
    },
  });
}

interface LifecycleVerb {
  readonly verb: 'cordon' | 'uncordon';
  readonly lifecycle: 'Active' | 'Cordoned';
  readonly summary: string;
}

function lifecycleRoute(
  { storage, service, unit, visibility }: Parts,
  { verb, lifecycle, summary }: LifecycleVerb,
): Route {
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:${verb}`,
    operationId: `${verb}Target`,
    summary,
    tags,
    permission: 'targets.cordon',
    etag: true,
    ifMatch: 'optional',
    schema: { params: TargetParamsSchema, responses: { 200: TargetSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const its = unit(tx);
        const name = parseResourceName(request.params.target);
        const command = { name, lifecycle, precondition: auditedPrecondition(request, toResource), now: request.time };
        return ok(
          await shownIn(its, await service.setLifecycle(its, command, request.signal), { request, visibility }),
        );
      }),
  });
}

function mergeRoute({ storage, service, unit, visibility }: Parts): Route {
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:merge`,
    operationId: 'mergeTarget',
    summary: 'Make a target an alias of the one that has the same cluster',
    description:
      'For a target whose condition `ClusterIdentity` says that another target has the same cluster. Its agent serves that ' +
      'one from then on; the alias leaves every placement, and workloads are not touched. Requires the permission on both.',
    tags,
    permission: 'targets.merge',
    etag: true,
    ifMatch: 'optional',
    schema: { params: TargetParamsSchema, body: MergeTargetSchema, responses: { 200: TargetSchema } },
    handler: async (request) => {
      await request.authorize('targets.merge', { target: request.body.into });
      return await mutate(request, storage, async (tx) => {
        const its = unit(tx);
        const name = parseResourceName(request.params.target);
        const into = parseResourceName(request.body.into);
        const command = { name, into, precondition: auditedPrecondition(request, toResource), now: request.time };
        return ok(await shownIn(its, await service.merge(its, command, request.signal), { request, visibility }));
      });
    },
  });
}

function reidentifyRoute({ storage, service, unit, visibility }: Parts): Route {
  return defineRoute({
    method: 'POST',
    path: `${ITEM}:reidentify`,
    operationId: 'reidentifyTarget',
    summary: 'Tell the cluster of a target from a copy of it',
    description:
      'For a target whose condition `ClusterIdentity` says that another target has the same cluster, though it is another one: ' +
      'a cluster that was restored beside its original has the same uid of `kube-system`. The agent stores an id in its ' +
      'cluster, and is served from then on.',
    tags,
    permission: 'targets.reidentify',
    etag: true,
    ifMatch: 'optional',
    schema: { params: TargetParamsSchema, responses: { 200: TargetSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const its = unit(tx);
        const name = parseResourceName(request.params.target);
        const command = { name, precondition: auditedPrecondition(request, toResource), now: request.time };
        return ok(await shownIn(its, await service.reidentify(its, command, request.signal), { request, visibility }));
      }),
  });
}

function deleteRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'DELETE',
    path: ITEM,
    operationId: 'deleteTarget',
    summary: 'Delete a target',
    description:
      'The target is removed from every placement. Workloads on it are not touched; while deployments are on it, this is ' +
      'refused with 409 `targetInUse` and the list of them (`inTheWay`), unless `force=true`.',
    tags,
    permission: 'targets.delete',
    ifMatch: 'optional',
    schema: { params: TargetParamsSchema, query: DeleteTargetQuerySchema, responses: { 204: NoContent } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const name = parseResourceName(request.params.target);
        const { force = false } = request.query;
        const precondition = auditedPrecondition(request, toResource);
        await service.delete(unit(tx), { name, precondition, force, now: request.time }, request.signal);
        return noContent();
      }),
  });
}
