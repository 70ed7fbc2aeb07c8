import { auditedPrecondition, defineRoute, mutate, ok, type Route } from '#kit/http';
import type { Storage, Transaction } from '#kit/storage';
import {
  AcceptRevisionSchema,
  ConfirmRemovalSchema,
  DeploymentParamsSchema,
  DeploymentSchema,
  RetrySchema,
  RollbackSchema,
} from '#protocol/api';
import type { UnitOfWork } from '../../application/ports.ts';
import { rolloutCommands } from '../../application/rollout-commands.ts';
import { acting, DEPLOYMENT_PATH, keyIn } from './deployment-requests.ts';
import { toResource } from './deployment-resource.ts';

export interface RolloutRoutesDeps {
  readonly storage: Storage;
  readonly unit: (tx: Transaction) => UnitOfWork;
}

/** The commands for rollouts. Each returns the deployment; the effect shows in its status later. */
export function rolloutRoutes(deps: RolloutRoutesDeps): Route[] {
  return [
    ...PLAIN_VERBS.map((verb) => plainRoute(deps, verb)),
    rollbackRoute(deps),
    someTargetsRoute(deps, {
      verb: 'retry',
      summary: 'Retry failed targets of a rollout',
      schema: RetrySchema,
    }),
    someTargetsRoute(deps, {
      verb: 'confirmRemoval',
      summary: 'Confirm held removals of a deployment from targets',
      schema: ConfirmRemovalSchema,
    }),
    someTargetsRoute(deps, {
      verb: 'acceptRevision',
      summary: 'Continue above a revision that agents have seen and the platform did not issue',
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
    description: 'Nothing new starts; orders under way run to their end. The same as `rolloutState: paused`.',
  },
  {
    verb: 'resume',
    summary: 'Resume the rollout of a deployment',
    description:
      'Also resumes a rollout that paused by itself: it continues without the targets that failed, but health gates wait for them.',
  },
  {
    verb: 'abort',
    summary: 'Abort the rollout of a deployment',
    description: 'Deliveries that no agent has accepted yet are recalled. Targets keep what they have.',
  },
  {
    verb: 'replan',
    summary: 'Apply the current rollout strategy to the rollout under way',
    description: 'Without a replan, a patch of `rollout` alone takes effect with the next rollout.',
  },
  {
    verb: 'abandon',
    summary: 'Abandon a deployment that cannot be removed from its targets',
    description: 'Only while it is being deleted. Content still on targets stays there.',
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
        const command = {
          ...keyIn(request.params),
          precondition: auditedPrecondition(request, toResource),
          ...acting(request),
        };
        return ok(toResource(await rolloutCommands[verb](unit(tx), command, request.signal)));
      }),
  });
}

function rollbackRoute({ storage, unit }: RolloutRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: `${DEPLOYMENT_PATH}:rollback`,
    operationId: 'rollbackDeployment',
    summary: 'Roll back to the content of an earlier revision',
    description: 'A new revision delivers exactly the same content again. Placement and rollout stay as they are.',
    tags: ['deployments'],
    permission: 'deployments.steer',
    etag: true,
    ifMatch: 'optional',
    schema: { params: DeploymentParamsSchema, body: RollbackSchema, responses: { 200: DeploymentSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const { revision, paced = false } = request.body;
        const its = {
          ...keyIn(request.params),
          precondition: auditedPrecondition(request, toResource),
          ...acting(request),
        };
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
        const who = {
          ...keyIn(request.params),
          precondition: auditedPrecondition(request, toResource),
          ...acting(request),
        };
        const command = { ...who, ...request.body };
        return ok(toResource(await rolloutCommands[verb](unit(tx), command, request.signal)));
      }),
  });
}
