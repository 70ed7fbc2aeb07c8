import type { ResourceName } from '#kit/std';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import type { OrchestrationEvent } from '../../domain/deployment/deployment-event.ts';
import { isHealthy } from '../../domain/deployment/status/is-healthy.ts';
import { abortedRollout, groupNotices } from '../../domain/group/child-view.ts';
import type { AwaitedName, UnitOfWork, Watch } from '../ports.ts';
import { postToRollout } from '../wake-pipeline.ts';

// The only ways to write a deployment. Its group and rollouts at a gate of its health may wait for it: they are notified
// here, in the same transaction.
//
// DECISION: functions that the use cases call, not a store that notifies by itself: the reader of a use case sees its
// effects. A use case that writes past them fails wake-pipeline.test.ts.

type Waiting = Pick<UnitOfWork, 'deployments' | 'groups' | 'rollouts' | 'watches'>;

/** Stores a new deployment. Rollouts may wait for one of its name already. */
export async function insertDeployment(unit: Waiting, deployment: Deployment, signal: AbortSignal): Promise<void> {
  await unit.deployments.insert(deployment, signal);
  await bindWatches(unit, deployment, signal);
}

export interface SavedDeployment {
  readonly before: Deployment;
  /** One version after `before`, or the very same object. */
  readonly after: Deployment;
  readonly events: readonly OrchestrationEvent[];
  readonly now: number;
}

/** Stores a changed deployment, appends its events, and notifies those that wait for it. */
export async function saveDeployment(
  unit: Waiting & Pick<UnitOfWork, 'events'>,
  { before, after, events, now }: SavedDeployment,
  signal: AbortSignal,
): Promise<void> {
  const isChanged = after !== before;
  await Promise.all([
    isChanged ? unit.deployments.replace(after, signal) : undefined,
    events.length > 0 ? unit.events.append(events, now, signal) : undefined,
  ]);
  if (!isChanged) return;
  const { owner, uid } = after;
  if (owner !== undefined && groupNotices(before, after)) await unit.groups.wake(owner.group, signal);
  if (isGroup(after) && isSteered(before, after)) await unit.groups.wake(uid, signal);
  if (isHealthy(before) !== isHealthy(after)) await notifyWatchers(unit, uid, isHealthy(after), signal);
}

export async function removeDeployment(unit: Waiting, deployment: Deployment, signal: AbortSignal): Promise<void> {
  const { uid, owner } = deployment;
  await unit.deployments.remove(uid, signal);
  if (owner !== undefined) await unit.groups.wake(owner.group, signal);
  // A group that was abandoned while its children still exist.
  if (isGroup(deployment)) await unit.groups.wake(uid, signal);
  await notifyWatchers(unit, uid, false, signal);
}

/** Stands for a deployment in a watch as long as no deployment has the name. */
export function awaitedName(workspace: ResourceName, name: ResourceName): AwaitedName {
  // Neither uids nor names contain a slash.
  return `${workspace}/${name}` as AwaitedName;
}

/** Binds watches that waited for a deployment of this name to the one that has it now. */
export async function bindWatches(
  unit: Pick<UnitOfWork, 'deployments' | 'rollouts' | 'watches'>,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<void> {
  const { uid, workspace, name } = deployment;
  for (const watch of await unit.watches.on(awaitedName(workspace.name, name), signal)) {
    await unit.watches.put({ ...watch, watched: uid }, signal);
    // Unhealthy is what the rollouts assume anyway.
    if (isHealthy(deployment)) await notifyWatcher(unit, watch, true, signal);
  }
}

async function notifyWatchers(unit: Waiting, uid: DeploymentId, isWell: boolean, signal: AbortSignal): Promise<void> {
  for (const watch of await unit.watches.on(uid, signal)) await notifyWatcher(unit, watch, isWell, signal);
}

async function notifyWatcher(
  unit: Pick<UnitOfWork, 'deployments' | 'rollouts'>,
  { watcher, revision, gate }: Watch,
  isWell: boolean,
  signal: AbortSignal,
): Promise<void> {
  const answer = { kind: 'deploymentHealth', isHealthy: isWell } as const;
  const event = { kind: 'gateAnswered', gate, revision, answer } as const;
  await postToRollout(unit, { deployment: watcher, revision }, [event], signal);
}

/** Paused, resumed, aborted, or continued after an abort. */
function isSteered(before: Deployment, next: Deployment): boolean {
  return before.rolloutState !== next.rolloutState || abortedRollout(before) !== abortedRollout(next);
}

function isGroup({ spec }: Deployment): boolean {
  return spec.manifest.type === 'deploymentGroup';
}
