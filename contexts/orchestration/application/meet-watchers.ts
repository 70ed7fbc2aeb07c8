import type { ResourceName } from '#kit/std';
import type { Deployment } from '../domain/deployment/deployment.ts';
import { isHealthy } from '../domain/deployment/is-healthy.ts';
import type { AwaitedName, DeploymentStore, RolloutStore, UnitOfWork, Watch } from './ports.ts';

/** Stands for a deployment in a watch as long as no deployment has the name. */
export function awaitedName(workspace: ResourceName, name: ResourceName): AwaitedName {
  // Neither uids nor names contain a slash.
  return `${workspace}/${name}` as AwaitedName;
}

export interface Telling {
  readonly rollouts: Pick<RolloutStore, 'post'>;
  readonly deployments: Pick<DeploymentStore, 'wake'>;
}

/** Notifies the rollout at the gate of the health of the deployment that it waits for. */
export async function tellWatcher(
  { rollouts, deployments }: Telling,
  { watcher, revision, gate, isWell }: Pick<Watch, 'watcher' | 'revision' | 'gate'> & { readonly isWell: boolean },
  signal: AbortSignal,
): Promise<void> {
  const answer = { kind: 'deploymentHealth', isHealthy: isWell } as const;
  const told = [{ kind: 'gateAnswered', gate, revision, answer } as const];
  await rollouts.post({ deployment: watcher, revision }, told, signal);
  await deployments.wake(watcher, signal);
}

/** Binds watches that waited for a deployment of this name to the new deployment. */
export async function meetWatchers(
  unit: Pick<UnitOfWork, 'watches'> & Telling,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<void> {
  const { uid, workspace, name } = deployment;
  for (const watch of await unit.watches.on(awaitedName(workspace.name, name), signal)) {
    await unit.watches.put({ ...watch, watched: uid }, signal);
    // Unhealthy is what the rollouts assume anyway.
    if (isHealthy(deployment)) await tellWatcher(unit, { ...watch, isWell: true }, signal);
  }
}
