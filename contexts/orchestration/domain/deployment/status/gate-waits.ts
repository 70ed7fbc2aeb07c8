import type { Json } from '#kit/std';
import type { ChildDeployment, DeploymentGroupSpec } from '../../manifest/group/deployment-group.ts';
import { findCycle, type Waits, waitsOf } from '../../manifest/group/deployment-waits.ts';
import { fieldOf, isList } from '../../manifest/json.ts';
import type { DeploymentSpec } from '../deployment.ts';

/** The parts of a deployment that decide what it waits for. */
export interface Waiter {
  readonly name: string;
  readonly spec: Pick<DeploymentSpec, 'manifest' | 'rollout'>;
}

/**
 * A cycle of deployments of one workspace that would wait for each other's health forever, as names, if it goes through
 * this deployment or one of its children. Cycles among other deployments are not reported here.
 */
export function cycleThrough(waiter: Waiter, others: readonly Waiter[]): readonly string[] | undefined {
  const own = waitsBy(waiter);
  const rest = others.filter(({ name }) => !own.has(name)).map(waitsBy);
  const cycle = findCycle(reachable(own, merged([own, ...rest])));
  return cycle?.some((name) => own.has(name)) === true ? cycle : undefined;
}

/** Whether it waits for the health of other deployments at all: without such a gate, no cycle goes through it. */
export function holdsHealthGate({ spec }: Waiter): boolean {
  return JSON.stringify([spec.rollout, spec.manifest]).includes('"deploymentHealth"');
}

function waitsBy({ name, spec }: Waiter): Waits {
  const gates = gateWaits(spec.rollout as Json);
  if (spec.manifest.type !== 'deploymentGroup') return new Map([[name, gates]]);
  // The schema that the manifest has passed is chosen by its type.
  const group = spec.manifest as unknown as DeploymentGroupSpec;
  return merged([
    new Map([[name, gates]]),
    waitsOf(name, group, (child: ChildDeployment) => gateWaits(child['rollout'])),
  ]);
}

/** Gates may stand before or after a stage, or around the removal. */
function gateWaits(rollout: Json | undefined): readonly string[] {
  const stages = fieldOf(rollout, 'stages');
  const places = [...(isList(stages) ? stages : []), fieldOf(rollout, 'removal')];
  return places.flatMap((place) =>
    [fieldOf(place, 'beforeTasks'), fieldOf(place, 'afterTasks')].flatMap((tasks) =>
      isList(tasks) ? tasks.flatMap(waitedFor) : [],
    ),
  );
}

function waitedFor(gate: Json): readonly string[] {
  const deployment = fieldOf(gate, 'type') === 'deploymentHealth' ? fieldOf(gate, 'deployment') : undefined;
  return typeof deployment === 'string' ? [deployment] : [];
}

function merged(all: readonly Waits[]): Waits {
  const waits = new Map<string, readonly string[]>();
  for (const [name, names] of all.flatMap((each) => [...each])) {
    waits.set(name, [...(waits.get(name) ?? []), ...names]);
  }
  return waits;
}

function reachable(from: Waits, waits: Waits): Waits {
  const found = new Map<string, readonly string[]>();
  const left = [...from.keys()];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (found.has(name)) continue;
    const next = waits.get(name) ?? [];
    found.set(name, next);
    left.push(...next);
  }
  return found;
}
