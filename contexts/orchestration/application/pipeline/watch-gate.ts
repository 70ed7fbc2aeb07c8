import { parseResourceName } from '#kit/std';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { isHealthy } from '../../domain/deployment/is-healthy.ts';
import { openSpecOf } from '../../domain/rollout/machine/gate-keeping.ts';
import type { Happening } from '../../domain/rollout/machine/happening.ts';
import { valueAt } from '../../domain/rollout/machine/number-map.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import type { RolloutKey, UnitOfWork } from '../ports.ts';

export interface WatchScene {
  readonly deployment: Deployment;
  readonly rollout: RolloutKey;
}

/** The current health of what a gate waits for, and from now on a word with each change of it. */
export async function watchGate(
  unit: UnitOfWork,
  { deployment, rollout, gate, name }: WatchScene & { readonly gate: string; readonly name: string },
  signal: AbortSignal,
): Promise<Happening> {
  const found = await unit.deployments.find(deployment.workspace.name, parseResourceName(name), signal);
  if (found !== undefined) {
    const { deployment: watcher, revision } = rollout;
    await unit.watches.put({ watcher, revision, gate, watched: found.uid }, signal);
  }
  const answer = { kind: 'deploymentHealth', isHealthy: found !== undefined && isHealthy(found) } as const;
  return { kind: 'gateAnswered', gate, revision: rollout.revision, answer };
}

/**
 * A gate may wait for a deployment that is not there, or was made anew since: nobody could tell. `isBlind` while there
 * is nobody to watch, and it has to be looked for now and then.
 */
export async function watchAgain(
  unit: UnitOfWork,
  { state, ...scene }: WatchScene & { readonly state: RolloutState },
  signal: AbortSignal,
): Promise<{ readonly happenings: readonly Happening[]; readonly isBlind: boolean }> {
  const spec = openSpecOf(state, valueAt(state.steps, state.cursor.step));
  const name = spec?.type === 'deploymentHealth' ? spec['deployment'] : undefined;
  if (state.gate === undefined || typeof name !== 'string') return { happenings: [], isBlind: false };
  const gate = state.gate.id;
  const found = await unit.deployments.find(scene.deployment.workspace.name, parseResourceName(name), signal);
  const watches = found === undefined ? [] : await unit.watches.on(found.uid, signal);
  const isWatched = watches.some((watch) => watch.watcher === scene.deployment.uid && watch.gate === gate);
  if (isWatched || found === undefined) return { happenings: [], isBlind: found === undefined };
  return { happenings: [await watchGate(unit, { ...scene, gate, name }, signal)], isBlind: false };
}
