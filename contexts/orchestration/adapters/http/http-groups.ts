import { defineRoute, ok, type Route } from '#kit/http';
import type { Clock } from '#kit/std';
import { type DeploymentGroupStatusResource, DeploymentGroupStatusSchema, DeploymentParamsSchema } from '#protocol/api';
import { groupStatus } from '../../application/groups/group-status.ts';
import type { Units } from '../../application/ports.ts';
import { getDeployment } from '../../application/revisions/read-revision.ts';
import { notAGroup } from '../../domain/deployment/deployment-error.ts';
import type { GroupExplanation } from '../../domain/group/explain-group.ts';
import { DEPLOYMENT_PATH, keyIn } from './deployment-requests.ts';
import { timeOf } from './deployment-resource.ts';

export interface GroupRoutesDeps {
  readonly units: Pick<Units, 'read'>;
  readonly clock: Clock;
}

/** The state of a group and its children. */
export function groupRoutes({ units, clock }: GroupRoutesDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${DEPLOYMENT_PATH}/group`,
      operationId: 'getDeploymentGroup',
      summary: 'Get the state of a group and what it waits for',
      description: 'For a deployment whose manifest is a `deploymentGroup`, once it was delivered to the platform.',
      tags: ['deployments'],
      permission: 'deployments.read',
      schema: { params: DeploymentParamsSchema, responses: { 200: DeploymentGroupStatusSchema } },
      handler: ({ params, signal }) =>
        units.read(async (unit) => {
          const { uid } = await getDeployment(unit, keyIn(params), signal);
          const status = await groupStatus(unit, { group: uid, now: clock.now() }, signal);
          if (status === undefined) throw notAGroup(params.deployment);
          return ok(toGroupResource(status));
        }, signal),
    }),
  ];
}

function toGroupResource({ phase, since, message, waits }: GroupExplanation): DeploymentGroupStatusResource {
  return {
    phase,
    since: timeOf(since),
    message,
    waits: waits.map(({ child, ...wait }) => ({
      ...(child === undefined ? {} : { child }),
      since: timeOf(wait.since),
      message: wait.message,
      unblock: wait.unblock,
    })),
  };
}
