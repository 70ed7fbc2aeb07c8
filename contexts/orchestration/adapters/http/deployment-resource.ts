import { etagOf } from '#kit/http';
import type { DeploymentResource, DeploymentStatusResource, DeploymentTargetResource } from '#protocol/api';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { maskSpec } from '../../domain/deployment/sealed-spec.ts';
import { isOutdated } from '../../domain/deployment/status/conditions.ts';
import { NO_COUNTS } from '../../domain/deployment/status/counts-after.ts';
import type { Condition, DeploymentStatus, RolloutStatus } from '../../domain/deployment/status/deployment-status.ts';
import type { Wait } from '../../domain/rollout/machine/explain-wait.ts';

/**
 * A deployment as the API shows it, secrets masked. It names only its workspace, not the path: not every reader may see
 * the workspaces above.
 */
export function toResource(deployment: Deployment): DeploymentResource {
  const { name, uid, workspace, labels, rolloutState, owner, deletion, generation, observedGeneration } = deployment;
  const { namespace, ...spec } = maskSpec(deployment.spec) as unknown as DeploymentResource;
  return {
    name,
    uid,
    workspace: workspace.name,
    labels,
    manifest: spec.manifest,
    placement: spec.placement,
    rollout: spec.rollout,
    healthRules: spec.healthRules,
    driftPolicy: spec.driftPolicy,
    ...(namespace === undefined ? {} : { namespace }),
    config: spec.config,
    rolloutState,
    ...(owner === undefined ? {} : { owner: { ...owner } }),
    ...(deletion === undefined ? {} : { deleteTime: timeOf(deletion.time) }),
    generation,
    observedGeneration,
    reconciling: deletion !== undefined || deployment.rollout !== undefined || isOutdated(deployment),
    revision: deployment.revision,
    conditions: deployment.status.conditions.map(conditionResource),
    status: statusResource(deployment.status),
    createTime: timeOf(deployment.createTime),
    updateTime: timeOf(deployment.updateTime),
    etag: etagOf(deployment),
  };
}

export function toTargetResource(row: DeploymentTarget): DeploymentTargetResource {
  const { applied, order, failure } = row;
  return {
    target: row.name,
    uid: row.target,
    type: row.type,
    placed: row.isPlaced,
    online: row.isOnline,
    ...(applied === undefined ? {} : { applied: { ...applied } }),
    ...(order === undefined
      ? {}
      : { order: { kind: order.kind, revision: order.revision, state: order.state, since: timeOf(order.since) } }),
    ...(failure === undefined ? {} : { failure: failureResource(failure) }),
    health: { status: row.health, revision: row.healthRevision, message: row.healthMessage },
    owed: row.isOwed,
    drift: [...row.drift],
    updateTime: timeOf(row.updateTime),
  };
}

function statusResource({ counts, placement, rollout, trouble }: DeploymentStatus): DeploymentStatusResource {
  return {
    // Older rows may lack some of the counts.
    counts: { ...NO_COUNTS, ...counts },
    placement: {
      kind: placement.kind,
      ...(placement.why === undefined ? {} : { why: placement.why }),
      excluded: [...placement.excluded],
      retained: [...placement.retained],
      missing: [...placement.missing],
      held: [...placement.held],
      waiting: [...(placement.waiting ?? [])],
    },
    ...(rollout === undefined ? {} : { rollout: rolloutResource(rollout) }),
    ...(trouble === undefined ? {} : { blocked: { ...trouble, since: timeOf(trouble.since) } }),
  };
}

function failureResource({ reason, message, revision }: NonNullable<DeploymentTarget['failure']>) {
  return { reason, message, revision };
}

function rolloutResource(rollout: RolloutStatus): NonNullable<DeploymentStatusResource['rollout']> {
  return {
    ...rollout,
    since: timeOf(rollout.since),
    startTime: timeOf(rollout.startTime),
    steps: rollout.steps.map(({ gate, ...step }) => ({
      ...step,
      ...(gate === undefined ? {} : { gate: { ...gate, since: timeOf(gate.since) } }),
    })),
    waits: rollout.waits.map(waitResource),
  };
}

function waitResource({ since, until, targets, ...wait }: Wait) {
  return {
    ...wait,
    since: timeOf(since),
    ...(until === undefined ? {} : { until: timeOf(until) }),
    ...(targets === undefined ? {} : { targets: [...targets] }),
  };
}

function conditionResource({ type, status, reason, message, lastTransitionTime, observedGeneration }: Condition) {
  return { type, status, reason, message, lastTransitionTime: timeOf(lastTransitionTime), observedGeneration };
}

export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
