import type { DeploymentResource, DeploymentTargetResource } from '#protocol/api';
import type { Deployment } from '../domain/deployment/deployment.ts';
import type { OrchestrationEvent } from '../domain/deployment/deployment-event.ts';
import type { DeploymentTarget } from '../domain/deployment/deployment-target.ts';
import { toApprovalResource } from './http/approval-resource.ts';
import { toResource, toTargetResource } from './http/deployment-resource.ts';

/** Events list at most this many targets; consumers that need more read the deployment or its targets. */
const MAX_TARGETS = 100;
const MAX_DRIFT = 10;

/** The fields of the spec. An event repeats them only when they may have changed: they can be a thousand times the rest. */
const SPEC = ['manifest', 'placement', 'rollout', 'healthRules', 'driftPolicy', 'namespace', 'config'] as const;
const SAYS_SPEC: ReadonlySet<OrchestrationEvent['type']> = new Set(['deployment.created', 'deployment.updated']);

/** What an event says. Its size depends neither on the content of the deployment nor on the size of the fleet. */
export function eventData(event: OrchestrationEvent): object {
  if ('approval' in event) return toApprovalResource(event.approval);
  if (event.type === 'delivery.changed') return deliveryData(event.deployment, event.targets);
  const resource = withoutLongLists(toResource(event.deployment));
  if (SAYS_SPEC.has(event.type)) return resource;
  return Object.fromEntries(Object.entries(resource).filter(([field]) => !SPEC.some((each) => each === field)));
}

function deliveryData({ name, workspace, uid }: Deployment, targets: readonly DeploymentTarget[]): object {
  return {
    deployment: name,
    workspace: workspace.name,
    uid,
    count: targets.length,
    targets: targets.slice(0, MAX_TARGETS).map((row) => withLittleDrift(toTargetResource(row))),
  };
}

/** A placement that explains many targets is left out as a whole: a part of it could be taken for all. */
function withoutLongLists({ status, ...resource }: DeploymentResource): object {
  const { placement, ...rest } = status;
  const { excluded, retained, missing, held, waiting = [] } = placement;
  const isLong = [excluded, retained, missing, held, waiting].some((list) => list.length > MAX_TARGETS);
  return { ...resource, status: isLong ? rest : status };
}

function withLittleDrift(target: DeploymentTargetResource): DeploymentTargetResource {
  return { ...target, drift: target.drift.slice(0, MAX_DRIFT) };
}
