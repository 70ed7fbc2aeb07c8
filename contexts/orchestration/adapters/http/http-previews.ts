import { defineRoute, ok, type Principal, type Route, type RouteRequest } from '#kit/http';
import { parseResourceName } from '#kit/std';
import {
  DeploymentParamsSchema,
  DeploymentPatchSchema,
  DeploymentsParamsSchema,
  NewDeploymentSchema,
  PreviewQuerySchema,
  PreviewSchema,
} from '#protocol/api';
import type { DeploymentService } from '../../application/deployment-service.ts';
import type { UnitOfWork } from '../../application/ports.ts';
import { type Asked, type PreviewDeps, previewDeployment } from '../../application/previews/preview-deployment.ts';
import { requestPlan } from '../../application/wake-pipeline.ts';
import type { DeploymentDraft } from '../../domain/deployment/deployment-draft.ts';
import type { DeploymentPatch } from '../../domain/deployment/patch-deployment.ts';
import { acting, DEPLOYMENT_PATH, DEPLOYMENTS_PATH, keyIn } from './deployment-requests.ts';
import { toPreviewResource } from './preview-resource.ts';

export interface PreviewRoutesDeps extends PreviewDeps {
  readonly service: DeploymentService;
}

const tags = ['deployments'];
const LOOK = { method: 'POST', tags, permission: 'deployments.preview', readOnly: true } as const;

/** The routes that show what a change would do on which target. */
export function previewRoutes(deps: PreviewRoutesDeps): Route[] {
  return [previewRoute(deps), previewNewRoute(deps)];
}

function previewRoute(deps: PreviewRoutesDeps): Route {
  return defineRoute({
    ...LOOK,
    path: `${DEPLOYMENT_PATH}:preview`,
    operationId: 'previewDeployment',
    summary: 'Preview what a patch would change on which target',
    description: 'An empty patch shows what would be sent if everything were generated again. Nothing is changed.',
    schema: {
      params: DeploymentParamsSchema,
      query: PreviewQuerySchema,
      body: DeploymentPatchSchema,
      responses: { 200: PreviewSchema },
    },
    handler: (request) =>
      answerTo(deps, request, async (unit) => {
        const { signal, params } = request;
        const key = keyIn(params);
        const before = await deps.service.get(unit.deployments, key, signal);
        const patch = request.body as DeploymentPatch;
        if (Object.keys(patch).length === 0) {
          const trigger = { kind: 'regenerate', why: 'a preview' } as const;
          await requestPlan(unit, before.uid, { triggers: [trigger], now: request.time }, signal);
          return { deployment: before, before };
        }
        const command = { ...key, patch, precondition: { check: () => {} }, ...acting(request), ...placing(request) };
        return { deployment: await deps.service.patch(unit, command, signal), before };
      }),
  });
}

function previewNewRoute(deps: PreviewRoutesDeps): Route {
  return defineRoute({
    ...LOOK,
    path: `${DEPLOYMENTS_PATH}:preview`,
    operationId: 'previewNewDeployment',
    summary: 'Preview what a new deployment would deliver to which target',
    description: 'Nothing is created.',
    schema: {
      params: DeploymentsParamsSchema,
      query: PreviewQuerySchema,
      body: NewDeploymentSchema,
      responses: { 200: PreviewSchema },
    },
    handler: (request) =>
      answerTo(deps, request, async (unit) => {
        const { name, ...draft } = request.body;
        const workspace = parseResourceName(request.params.workspace);
        const command = { workspace, name, draft: draft as DeploymentDraft, ...acting(request), ...placing(request) };
        return { deployment: await deps.service.create(unit, command, request.signal), before: undefined };
      }),
  });
}

interface PreviewQuery {
  readonly target?: string;
  readonly deep?: boolean;
}

type Previewing = RouteRequest<{ readonly workspace: string }, PreviewQuery, unknown, Principal>;

async function answerTo(deps: PreviewRoutesDeps, request: Previewing, ask: (unit: UnitOfWork) => Promise<Asked>) {
  const { query, signal, time: now } = request;
  const command = { ask, target: query.target, isDeep: query.deep === true, now };
  return ok(toPreviewResource(await previewDeployment(deps, command, signal)));
}

function placing(request: Previewing) {
  const { workspace } = request.params;
  return { mayPlaceLocally: () => request.authorize('deployments.placeLocal', { workspace }) };
}
