import type { Deployment, DeploymentId } from '../deployment/deployment.ts';
import { isHealthy } from '../deployment/status/is-healthy.ts';

export const CHILD_HEALTHS = ['Healthy', 'Progressing', 'Degraded'] as const;
export type ChildHealth = (typeof CHILD_HEALTHS)[number];

/** Everything a group knows about one of its child deployments. */
export interface ChildView {
  readonly uid: DeploymentId;
  readonly name: string;
  readonly health: ChildHealth;
  /** It may still become healthy by itself: the latest change is being worked on, and nothing has stopped it. */
  readonly isMoving: boolean;
  /** A rollout of it is under way, progressing or not. */
  readonly hasRollout: boolean;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  /**
   * Counts the changes of its desired state. If it differs from the generation recorded after the group's request, the
   * child was rolled back.
   */
  readonly generation: number;
  /** Why it is degraded. */
  readonly message: string;
}

export function viewChild(deployment: Deployment): ChildView {
  const { uid, name, rollout, rolloutState, deletion, generation } = deployment;
  return {
    uid,
    name,
    ...healthOf(deployment),
    hasRollout: rollout !== undefined,
    isPaused: rolloutState === 'paused',
    isDeleting: deletion !== undefined,
    generation,
  };
}

/** Whether the group may decide differently after this change. */
export function groupNotices(before: Deployment, after: Deployment): boolean {
  if (before.name !== after.name || before.rolloutState !== after.rolloutState) return true;
  if (before.generation !== after.generation || before.deletion?.time !== after.deletion?.time) return true;
  const [was, is] = [healthOf(before), healthOf(after)];
  return was.health !== is.health || was.isMoving !== is.isMoving || was.message !== is.message;
}

/** The last rollout of a deployment, if it was aborted and none is under way since. */
export function abortedRollout({ rollout, status }: Deployment): number | undefined {
  const last = status.rollout;
  return rollout === undefined && last?.outcome === 'Aborted' ? last.revision : undefined;
}

type HealthView = Pick<ChildView, 'health' | 'isMoving' | 'message'>;

function healthOf(deployment: Deployment): HealthView {
  if (isHealthy(deployment)) return { health: 'Healthy', isMoving: false, message: '' };
  const isMoving = isUnderWay(deployment);
  const message = complaintOf(deployment, isMoving);
  return { health: message === undefined ? 'Progressing' : 'Degraded', isMoving, message: message ?? '' };
}

/** Planning that is being retried counts as well: the obstacle may go away. */
function isUnderWay({ generation, observedGeneration, rollout, status }: Deployment): boolean {
  if (generation !== observedGeneration || status.trouble !== undefined) return true;
  return rollout !== undefined && stopOf({ rollout, status }) === undefined;
}

/** Why the rollout stopped on its own. A rollout paused by a user has not failed. */
function stopOf({ rollout, status }: Pick<Deployment, 'rollout' | 'status'>): string | undefined {
  const latest = status.rollout;
  if (rollout === undefined || latest?.revision !== rollout || latest.phase !== 'Paused') return undefined;
  if (latest.reason === undefined || latest.reason === 'PausedByUser') return undefined;
  return latest.message ?? 'its rollout stopped';
}

function complaintOf(deployment: Deployment, isMoving: boolean): string | undefined {
  const { trouble, conditions, rollout } = deployment.status;
  const stop = stopOf(deployment);
  if (stop !== undefined) return stop;
  const degraded = conditions.find(({ type }) => type === 'Degraded');
  if (degraded?.status === 'True') return degraded.message;
  if (trouble !== undefined && trouble.reason !== 'PlacementUnsure') return trouble.message;
  const isOver = !isMoving && deployment.rollout === undefined && rollout?.outcome !== undefined;
  return isOver && rollout.outcome !== 'Succeeded'
    ? (rollout.message ?? 'its last rollout did not succeed')
    : undefined;
}
