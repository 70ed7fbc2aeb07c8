import { parseResourceName } from '#kit/std';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { isHealthy } from '../../domain/deployment/status/is-healthy.ts';
import { openSpecOf } from '../../domain/rollout/machine/gate-keeping.ts';
import { valueAt } from '../../domain/rollout/machine/number-map.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import type { RolloutKey, UnitOfWork } from '../ports.ts';
import { awaitedName } from './save-deployment.ts';

export interface WatchScene {
  readonly deployment: Deployment;
  readonly rollout: RolloutKey;
}

/** Returns the current health of the deployment that a gate waits for, and subscribes to its changes. */
export async function watchGate(
  unit: UnitOfWork,
  { deployment, rollout, gate, name }: WatchScene & { readonly gate: string; readonly name: string },
  signal: AbortSignal,
): Promise<RolloutEvent> {
  const found = await unit.deployments.find(deployment.workspace.name, parseResourceName(name), signal);
  const { deployment: watcher, revision } = rollout;
  const watched = found?.uid ?? awaitedName(deployment.workspace.name, parseResourceName(name));
  await unit.watches.put({ watcher, revision, gate, watched }, signal);
  const answer = { kind: 'deploymentHealth', isHealthy: found !== undefined && isHealthy(found) } as const;
  return { kind: 'gateAnswered', gate, revision: rollout.revision, answer };
}

/** The watched deployment may be gone, or another one may have its name: then that one is watched. */
export async function watchAgain(
  unit: UnitOfWork,
  { state, ...scene }: WatchScene & { readonly state: RolloutState },
  signal: AbortSignal,
): Promise<readonly RolloutEvent[]> {
  const spec = openSpecOf(state, valueAt(state.steps, state.cursor.step));
  const name = spec?.type === 'deploymentHealth' ? spec['deployment'] : undefined;
  if (state.gate === undefined || typeof name !== 'string') return [];
  const gate = state.gate.id;
  const its = [scene.deployment.workspace.name, parseResourceName(name)] as const;
  const found = await unit.deployments.find(...its, signal);
  const watches = await unit.watches.on(found?.uid ?? awaitedName(...its), signal);
  const isWatched = watches.some((watch) => watch.watcher === scene.deployment.uid && watch.gate === gate);
  return isWatched ? [] : [await watchGate(unit, { ...scene, gate, name }, signal)];
}
