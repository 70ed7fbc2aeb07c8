import type { DeploymentTargetResource } from '#protocol/api';

export type TargetState =
  | 'failed'
  | 'degraded'
  | 'offline'
  | 'owed'
  | 'drifted'
  | 'applying'
  | 'sending'
  | 'queued'
  | 'settling'
  | 'removing'
  | 'leaving'
  | 'pending'
  | 'done';

const ORDERED = { queued: 'queued', sent: 'sending', accepted: 'applying' } as const;

/**
 * The state of a target with respect to a revision, or with 0 to any revision, in one word. States that need a person
 * take precedence over normal progress.
 */
export function targetState(target: DeploymentTargetResource, revision: number): TargetState {
  const { failure, order, placed, online, owed, applied, health, drift } = target;
  const isCurrent = applied !== undefined && applied.revision >= revision;
  if (failure !== undefined) return 'failed';
  if (!online && (order !== undefined || !isCurrent || !placed)) return 'offline';
  if (order !== undefined) return order.kind === 'remove' ? 'removing' : ORDERED[order.state];
  if (owed) return 'owed';
  if (!placed) return 'leaving';
  if (health.status === 'Degraded') return 'degraded';
  if (!isCurrent) return 'pending';
  if (!online) return 'offline';
  if (health.status === 'Unknown') return 'settling';
  return drift.length > 0 ? 'drifted' : 'done';
}
