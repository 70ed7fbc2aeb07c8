import { defineRoute, mutate, ok, type Route } from '#kit/http';
import type { Storage, Transaction } from '#kit/storage';
import {
  AcceptRevisionSchema,
  ConfirmRemovalSchema,
  DeploymentParamsSchema,
  DeploymentSchema,
  RetrySchema,
  RollbackSchema,
} from '#protocol/api';
import type { UnitOfWork } from '../application/ports.ts';
import { rolloutCommands } from '../application/rollout-commands.ts';
import { acting, audited, DEPLOYMENT_PATH, keyIn } from './deployment-requests.ts';
import { toResource } from './deployment-resource.ts';

export interface RolloutRoutesDeps {
  readonly storage: Storage;
  readonly unit: (tx: Transaction) => UnitOfWork;
}

/** What people can do about rollouts. Each answers with the deployment; what follows shows in its status. */
export function rolloutRoutes(deps: RolloutRoutesDeps): Route[] {
  return [
    ...PLAIN_VERBS.map((verb) => plainRoute(deps, verb)),
    rollbackRoute(deps),
    someTargetsRoute(deps, {
      verb: 'retry',
      summary: 'Try again where a rollout did not succeed',
      schema: RetrySchema,
    }),
    someTargetsRoute(deps, {
      verb: 'confirmRemoval',
      summary: 'Let targets lose a deployment whose removal is held',
      schema: ConfirmRemovalSchema,
    }),
    someTargetsRoute(deps, {
      verb: 'acceptRevision',
      summary: 'Go on above a revision that agents have seen and the platform did not give',
      schema: AcceptRevisionSchema,
      permission: 'deployments.acceptRevision',
    }),
  ];
}

interface PlainVerb {
  readonly verb: 'pause' | 'resume' | 'abort' | 'replan' | 'abandon';
  readonly summary: string;
  readonly description: string;
  readonly permission?: 'deployments.abandon';
}

const PLAIN_VERBS: readonly PlainVerb[] = [
  {
    verb: 'pause',
    summary: 'Pause the rollout of a deployment',
    description: 'Nothing new begins; what is under way comes to its end. The same as `rolloutState: paused`.',
  },
  {
    verb: 'resume',
    summary: 'Let the rollout of a deployment go on',
    description: 'Also one that paused by itself: what has failed so far is accepted.',
  },
  {
    verb: 'abort',
    summary: 'End the rollout of a deployment',
    description: 'Deliveries that nobody has taken yet are called back. Targets keep what they have.',
  },
  {
    verb: 'replan',
    summary: 'Apply the rollout strategy as it is now to the rollout under way',
    description: 'A patch of `rollout` alone governs the next one.',
  },
  {
    verb: 'abandon',
    summary: 'Forget a deployment that cannot be taken off its targets',
    description: 'Only while it is being deleted. What is still on targets stays there.',
    permission: 'deployments.abandon',
  },
];

function plainRoute({ storage, unit }: RolloutRoutesDeps, its: PlainVerb): Route {
  const { verb, summary, description, permission = 'deployments.steer' } = its;
  return defineRoute({
    method: 'POST',
    path: `${DEPLOYMENT_PATH}:${verb}`,
    operationId: `${verb}Deployment`,
    summary,
    description,
    tags: ['deployments'],
    permission,
    etag: true,
    ifMatch: 'optional',
    schema: { params: DeploymentParamsSchema, responses: { 200: DeploymentSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const command = { ...keyIn(request.params), precondition: audited(request), ...acting(request) };
        return ok(toResource(await rolloutCommands[verb](unit(tx), command, request.signal)));
      }),
  });
}

function rollbackRoute({ storage, unit }: RolloutRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: `${DEPLOYMENT_PATH}:rollback`,
    operationId: 'rollbackDeployment',
    summary: 'Go back to what an earlier revision delivered',
    description: 'Exactly that is delivered again, by a new revision. Placement and rollout stay as they are.',
    tags: ['deployments'],
    permission: 'deployments.steer',
    etag: true,
    ifMatch: 'optional',
    schema: { params: DeploymentParamsSchema, body: RollbackSchema, responses: { 200: DeploymentSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const { revision, paced = false } = request.body;
        const its = { ...keyIn(request.params), precondition: audited(request), ...acting(request) };
        return ok(toResource(await rolloutCommands.rollback(unit(tx), { ...its, revision, paced }, request.signal)));
      }),
  });
}

const SOME_TARGETS_IDS = {
  retry: 'retryDeployment',
  confirmRemoval: 'confirmDeploymentRemoval',
  acceptRevision: 'acceptDeploymentRevision',
} as const;

interface SomeTargetsVerb {
  readonly verb: keyof typeof SOME_TARGETS_IDS;
  readonly summary: string;
  readonly schema: typeof RetrySchema;
  readonly permission?: 'deployments.acceptRevision';
}

function someTargetsRoute({ storage, unit }: RolloutRoutesDeps, its: SomeTargetsVerb): Route {
  const { verb, summary, schema, permission = 'deployments.steer' } = its;
  return defineRoute({
    method: 'POST',
    path: `${DEPLOYMENT_PATH}:${verb}`,
    operationId: SOME_TARGETS_IDS[verb],
    summary,
    tags: ['deployments'],
    permission,
    etag: true,
    ifMatch: 'optional',
    schema: { params: DeploymentParamsSchema, body: schema, responses: { 200: DeploymentSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const who = { ...keyIn(request.params), precondition: audited(request), ...acting(request) };
        const command = { ...who, ...request.body };
        return ok(toResource(await rolloutCommands[verb](unit(tx), command, request.signal)));
      }),
  });
}
