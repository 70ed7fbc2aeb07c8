import { canonicalJson } from '#kit/std';
import type { Deployment } from '../deployment.ts';
import { conditionsOf } from './conditions.ts';
import type { DeploymentStatus } from './deployment-status.ts';

/** The fields of a deployment that pipelines and reports may change. Absent fields stay; `undefined` removes a field. */
export interface StatusChanges {
  readonly observedGeneration?: number;
  readonly revision?: number;
  readonly rollout?: number | undefined;
  readonly status?: Partial<Omit<DeploymentStatus, 'conditions' | 'trouble'>> & {
    readonly trouble?: DeploymentStatus['trouble'] | undefined;
  };
}

/**
 * The only way to change a status: the conditions are derived from it. Returns the very same object when nothing changes.
 */
export function withStatus(deployment: Deployment, changes: StatusChanges, now: number): Deployment {
  const { status = {}, ...own } = changes;
  return changed(deployment, { ...own, status: merged(deployment.status, status) }, now);
}

/** The next value of a deployment, or the very same object when nothing changes. The caller validates the change. */
export function changed(deployment: Deployment, its: Partial<Deployment>, now: number): Deployment {
  const next = { ...deployment, ...its };
  const status = { ...next.status, conditions: conditionsOf(next, now) };
  if (isSame(deployment, { ...next, status })) return deployment;
  // If the clock is set back, a change must not look older than the one before it.
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

/** Compared part by part: most changes leave most parts the very same objects. */
function sameStatus(a: DeploymentStatus, b: DeploymentStatus): boolean {
  return (
    sameJson(a.counts, b.counts) &&
    sameJson(a.trouble ?? null, b.trouble ?? null) &&
    a.awaitsPlan === b.awaitsPlan &&
    sameJson(a.conditions, b.conditions) &&
    sameJson(a.rollout ?? null, b.rollout ?? null) &&
    sameJson(a.placement, b.placement)
  );
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}
