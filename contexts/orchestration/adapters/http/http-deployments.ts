import {
  answer,
  auditedPrecondition,
  created,
  defineListRoute,
  defineRoute,
  mutate,
  ok,
  type Route,
  type Visibility,
} from '#kit/http';
import { parseResourceName } from '#kit/std';
import type { Reader, Storage, Transaction } from '#kit/storage';
import {
  DeploymentListQuerySchema,
  DeploymentParamsSchema,
  DeploymentPatchSchema,
  DeploymentSchema,
  DeploymentsParamsSchema,
  DeploymentTargetSchema,
  NewDeploymentSchema,
} from '#protocol/api';
import type { DeploymentService } from '../../application/deployment-service.ts';
import type { UnitOfWork, Units, WorkspaceDirectory } from '../../application/ports.ts';
import type { DeploymentDraft } from '../../domain/deployment/deployment-draft.ts';
import type { DeploymentPatch } from '../../domain/deployment/patch-deployment.ts';
import { SqlDeploymentReader, type VisibleSet } from '../sql/sql-deployment-reader.ts';
import { acting, DEPLOYMENT_PATH, DEPLOYMENTS_PATH, keyIn } from './deployment-requests.ts';
import { toResource, toTargetResource } from './deployment-resource.ts';
import { rolloutRoutes } from './http-rollouts.ts';

export interface DeploymentRoutesDeps {
  readonly storage: Storage;
  readonly service: DeploymentService;
  readonly unit: (tx: Transaction) => UnitOfWork;
  readonly units: Pick<Units, 'read'>;
  readonly visibility: Visibility<VisibleSet>;
  /** The workspaces as the same snapshot sees them. */
  readonly workspaces: (reader: Reader) => WorkspaceDirectory;
}

/** Shared by the routes. */
interface Parts extends DeploymentRoutesDeps {
  readonly reader: SqlDeploymentReader;
}

const ACROSS = '/v1/deployments';
const tags = ['deployments'];

const FILTER = {
  name: 'string',
  workspace: 'string',
  labels: 'map<string, string>',
  rolloutState: 'string',
  driftPolicy: 'string',
  reconciling: 'bool',
  revision: 'int',
  status: {
    counts: { placed: 'int', available: 'int', degraded: 'int', failed: 'int', offline: 'int', drifted: 'int' },
    rollout: { phase: 'string', outcome: 'string', reason: 'string' },
  },
  createTime: 'timestamp',
  updateTime: 'timestamp',
} as const;

/** Deployments as a REST resource, and the commands for their rollouts. */
export function deploymentRoutes(deps: DeploymentRoutesDeps): Route[] {
  const parts: Parts = { ...deps, reader: new SqlDeploymentReader(deps) };
  return [
    createRoute(parts),
    getRoute(parts),
    listRoute(parts),
    acrossRoute(parts),
    patchRoute(parts),
    deleteRoute(parts),
    targetsRoute(parts),
    ...rolloutRoutes(deps),
  ];
}

function createRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'POST',
    path: DEPLOYMENTS_PATH,
    operationId: 'createDeployment',
    summary: 'Create a deployment',
    description: 'It is planned and rolled out at once, unless `rolloutState` is `paused`.',
    tags,
    permission: 'deployments.create',
    etag: true,
    idempotency: 'replay',
    schema: { params: DeploymentsParamsSchema, body: NewDeploymentSchema, responses: { 201: DeploymentSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const { name, ...draft } = request.body;
        const workspace = parseResourceName(request.params.workspace);
        // Fields that the schema leaves open are JSON as well, since the body was JSON.
        const command = { workspace, name, draft: draft as DeploymentDraft, ...acting(request) };
        const deployment = await service.create(unit(tx), { ...command, ...placing(request) }, request.signal);
        return created(toResource(deployment), `/v1/workspaces/${workspace}/deployments/${deployment.name}`);
      }),
  });
}

function getRoute({ reader, service }: Parts): Route {
  return defineRoute({
    method: 'GET',
    path: DEPLOYMENT_PATH,
    operationId: 'getDeployment',
    summary: 'Get a deployment',
    tags,
    permission: 'deployments.read',
    etag: true,
    schema: { params: DeploymentParamsSchema, responses: { 200: DeploymentSchema } },
    handler: async ({ params, signal }) => ok(toResource(await service.get(reader, keyIn(params), signal))),
  });
}

function listRoute({ reader }: Parts): Route {
  return defineListRoute({
    path: DEPLOYMENTS_PATH,
    operationId: 'listDeployments',
    summary: 'List the deployments of a workspace',
    description: 'By workspace and name.',
    tags,
    permission: 'deployments.read',
    schema: { params: DeploymentsParamsSchema, query: DeploymentListQuerySchema, item: DeploymentSchema },
    filter: FILTER,
    keyShape: ['string', 'string'],
    keyOf: ({ workspace, name }) => [workspace, name],
    read: async ({ params, query, signal }, { after, limit }) => {
      const within = { workspace: parseResourceName(params.workspace), subtree: query.subtree ?? false };
      // The permission to read a workspace includes the workspaces below it.
      const range = { within, visible: { kind: 'everything' } as const, after: placeOf(after), limit };
      return (await reader.list(range, signal)).map(toResource);
    },
  });
}

function acrossRoute({ reader, visibility }: Parts): Route {
  return defineListRoute({
    path: ACROSS,
    operationId: 'listAllDeployments',
    summary: 'List deployments across workspaces',
    description: 'The deployments that the caller may see, by workspace and name.',
    tags,
    permission: 'deployments.read',
    reach: 'filtered',
    schema: { item: DeploymentSchema },
    filter: FILTER,
    keyShape: ['string', 'string'],
    keyOf: ({ workspace, name }) => [workspace, name],
    read: async ({ principal, signal }, { after, limit }) => {
      const visible = await visibility.of(principal, 'deployments.read', signal);
      return (await reader.list({ within: undefined, visible, after: placeOf(after), limit }, signal)).map(toResource);
    },
  });
}

function patchRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'PATCH',
    path: DEPLOYMENT_PATH,
    operationId: 'patchDeployment',
    summary: 'Change a deployment',
    description: 'A JSON merge patch. A patch that changes nothing keeps the etag.',
    tags,
    permission: 'deployments.update',
    etag: true,
    ifMatch: 'optional',
    schema: { params: DeploymentParamsSchema, body: DeploymentPatchSchema, responses: { 200: DeploymentSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const patch = request.body as DeploymentPatch;
        const command = {
          ...keyIn(request.params),
          patch,
          precondition: auditedPrecondition(request, toResource),
          ...acting(request),
        };
        return ok(toResource(await service.patch(unit(tx), { ...command, ...placing(request) }, request.signal)));
      }),
  });
}

function deleteRoute({ storage, service, unit }: Parts): Route {
  return defineRoute({
    method: 'DELETE',
    path: DEPLOYMENT_PATH,
    operationId: 'deleteDeployment',
    summary: 'Delete a deployment',
    description: 'A rollout removes it from its targets; then it is gone. The group creates a deleted child again.',
    tags,
    permission: 'deployments.delete',
    ifMatch: 'optional',
    schema: { params: DeploymentParamsSchema, responses: { 202: DeploymentSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const command = {
          ...keyIn(request.params),
          precondition: auditedPrecondition(request, toResource),
          ...acting(request),
        };
        return answer(202, toResource(await service.delete(unit(tx), command, request.signal)));
      }),
  });
}

function targetsRoute({ units, service }: Parts): Route {
  return defineListRoute({
    path: `${DEPLOYMENT_PATH}/targets`,
    operationId: 'listDeploymentTargets',
    summary: 'List the state of a deployment on each of its targets',
    description: 'The targets that should have the deployment, and those that still have it; by name.',
    tags,
    permission: 'deployments.read',
    schema: { params: DeploymentParamsSchema, item: DeploymentTargetSchema },
    filter: {
      target: 'string',
      placed: 'bool',
      online: 'bool',
      owed: 'bool',
      health: { status: 'string' },
      failure: { reason: 'string' },
      order: { kind: 'string', state: 'string' },
    },
    keyOf: ({ target }) => [target],
    read: async ({ params, signal }, { after, limit }) => {
      const rows = await units.read(async (unit) => {
        const { uid: deployment } = await service.get(unit.deployments, keyIn(params), signal);
        return await unit.targets.page({ deployment, after: after && String(after[0]), limit }, signal);
      }, signal);
      return rows.map(toTargetResource);
    },
  });
}

function placeOf(after: readonly unknown[] | undefined) {
  return after && { workspace: String(after[0]), name: String(after[1]) };
}

interface Asking {
  readonly params: { readonly workspace: string };
  authorize(permission: string, params: Readonly<Record<string, string>>): Promise<void>;
}

function placing(request: Asking) {
  const { workspace } = request.params;
  return { mayPlaceLocally: () => request.authorize('deployments.placeLocal', { workspace }) };
}
