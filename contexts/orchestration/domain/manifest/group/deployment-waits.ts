import { childName } from './child-name.ts';
import { asGroup, type ChildDeployment, type DeploymentGroupSpec, stepsOf } from './deployment-group.ts';

/** Which deployments wait for the health of which others, by name, in one workspace. */
export type Waits = ReadonlyMap<string, readonly string[]>;

/** The deployments that a deployment's own gates wait for, by name. */
export type GateWaits = (child: ChildDeployment) => readonly string[];

/**
 * All waits that a group creates: the group waits for its children, each child for those of the step before and for the
 * deployments its gates name. The same applies to groups within it, whose children also wait for everything that the
 * inner group waits for.
 */
export function waitsOf(group: string, spec: DeploymentGroupSpec, gateWaits: GateWaits): Waits {
  const waits = new Map<string, readonly string[]>();
  collect(group, spec, { gateWaits, waits, before: [] });
  return waits;
}

/** The names of a cycle, starting with the first in alphabetical order; none of these deployments would ever begin. */
export function findCycle(waits: Waits): readonly string[] | undefined {
  const done = new Set<string>();
  for (const start of [...waits.keys()].sort()) {
    const cycle = cycleFrom(start, waits, done);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

interface Collection {
  readonly gateWaits: GateWaits;
  readonly waits: Map<string, readonly string[]>;
  /** Deployments that have to be healthy before the group begins. */
  readonly before: readonly string[];
}

function collect(group: string, spec: DeploymentGroupSpec, into: Collection): void {
  const children = new Map(spec.deployments.map((child) => [child.name, child]));
  let before = into.before;
  for (const step of stepsOf(spec)) {
    const names = step.map((child) => childName(group, child));
    add(into.waits, group, names);
    for (const [index, name] of names.entries()) {
      const child = children.get(step[index] ?? '');
      add(into.waits, name, [...before, ...(child === undefined ? [] : into.gateWaits(child))]);
      const inner = child && asGroup(child);
      if (inner !== undefined) collect(name, inner, { ...into, before });
    }
    before = [...into.before, ...names];
  }
}

function add(waits: Map<string, readonly string[]>, name: string, others: readonly string[]): void {
  waits.set(name, [...(waits.get(name) ?? []), ...others]);
}

/** Depth first, without recursion: callers may pass the waits of a whole workspace. */
function cycleFrom(start: string, waits: Waits, done: Set<string>): readonly string[] | undefined {
  const path: string[] = [];
  const onPath = new Set<string>();
  const left: { readonly name: string; readonly isLeaving: boolean }[] = [{ name: start, isLeaving: false }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { name, isLeaving } = next;
    if (isLeaving) {
      path.pop();
      onPath.delete(name);
      done.add(name);
      continue;
    }
    if (onPath.has(name)) return fromFirst(path.slice(path.indexOf(name)));
    if (done.has(name)) continue;
    path.push(name);
    onPath.add(name);
    left.push({ name, isLeaving: true });
    for (const other of waits.get(name) ?? []) left.push({ name: other, isLeaving: false });
  }
  return undefined;
}

function fromFirst(cycle: readonly string[]): readonly string[] {
  const first = cycle.indexOf(cycle.toSorted()[0] ?? '');
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}
