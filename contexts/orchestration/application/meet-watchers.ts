import type { ResourceName } from '#kit/std';
import type { Deployment } from '../domain/deployment/deployment.ts';
import { isHealthy } from '../domain/deployment/is-healthy.ts';
import type { AwaitedName, DeploymentStore, RolloutStore, UnitOfWork, Watch } from './ports.ts';

/** What stands for a deployment in a watch as long as there is none of its name. */
export function awaitedName(workspace: ResourceName, name: ResourceName): AwaitedName {
  // No uid has a slash, nor has a name.
  return `${workspace}/${name}` as AwaitedName;
}

export interface Telling {
  readonly rollouts: Pick<RolloutStore, 'post'>;
  readonly deployments: Pick<DeploymentStore, 'wake'>;
}

/** The rollout at the gate is told how it is with the deployment that it waits for. */
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

/** Rollouts that wait for a deployment of this name, which was not there, hear of this one from now on. */
export async function meetWatchers(
  unit: Pick<UnitOfWork, 'watches'> & Telling,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<void> {
  const { uid, workspace, name } = deployment;
  for (const watch of await unit.watches.on(awaitedName(workspace.name, name), signal)) {
    await unit.watches.put({ ...watch, watched: uid }, signal);
    // That it is not healthy is what they think anyway.
    if (isHealthy(deployment)) await tellWatcher(unit, { ...watch, isWell: true }, signal);
  }
}
