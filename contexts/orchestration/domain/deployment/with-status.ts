import { canonicalJson } from '#kit/std';
import { conditionsOf } from './conditions.ts';
import type { Deployment } from './deployment.ts';
import type { DeploymentStatus } from './deployment-status.ts';

/** What pipelines and reports may change of a deployment. What is absent stays; `undefined` takes away. */
export interface StatusChanges {
  readonly observedGeneration?: number;
  readonly revision?: number;
  readonly rollout?: number | undefined;
  readonly status?: Partial<Omit<DeploymentStatus, 'conditions' | 'trouble'>> & {
    readonly trouble?: DeploymentStatus['trouble'] | undefined;
  };
}

/** The one way in which a status changes: the conditions follow. The very same value when nothing changes. */
export function withStatus(deployment: Deployment, changes: StatusChanges, now: number): Deployment {
  const { status = {}, ...own } = changes;
  return changed(deployment, { ...own, status: merged(deployment.status, status) }, now);
}

/** The next value of a deployment, or the very same. Whether what was asked for may be so is for the caller to know. */
export function changed(deployment: Deployment, its: Partial<Deployment>, now: number): Deployment {
  const next = { ...deployment, ...its };
  const status = { ...next.status, conditions: conditionsOf(next, now) };
  if (isSame(deployment, { ...next, status })) return deployment;
  // A clock that was set back must not make a change look older than the one before it.
  return { ...next, status, version: deployment.version + 1, updateTime: Math.max(now, deployment.updateTime) };
}

function merged(status: DeploymentStatus, changes: NonNullable<StatusChanges['status']>): DeploymentStatus {
  const { trouble, ...rest } = { ...status, ...changes };
  return trouble === undefined ? rest : { ...rest, trouble };
}

function isSame(a: Deployment, b: Deployment): boolean {
  return (
    a.generation === b.generation &&
    a.observedGeneration === b.observedGeneration &&
    a.revision === b.revision &&
    a.rollout === b.rollout &&
    a.rolloutState === b.rolloutState &&
    a.deletion?.time === b.deletion?.time &&
    sameJson(a.labels, b.labels) &&
    sameJson(a.spec, b.spec) &&
    sameStatus(a.status, b.status)
  );
}

/** Part by part, since most changes leave most parts the very same values. */
function sameStatus(a: DeploymentStatus, b: DeploymentStatus): boolean {
  return (
    sameJson(a.counts, b.counts) &&
    sameJson(a.trouble ?? null, b.trouble ?? null) &&
    sameJson(a.conditions, b.conditions) &&
    sameJson(a.rollout ?? null, b.rollout ?? null) &&
    sameJson(a.placement, b.placement)
  );
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}
