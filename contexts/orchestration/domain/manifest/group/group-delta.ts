import type { Json } from '#kit/std';
import { canonicalJson } from '#kit/std';
import { type ChildDeployment, type DeploymentGroupSpec, stepsOf } from './deployment-group.ts';

/** The effect of a patched group on its children, by their short names. */
export interface GroupDelta {
  /** In the order of the new steps, like patches and renames. */
  readonly creates: readonly ChildDeployment[];
  readonly patches: readonly ChildPatch[];
  /** The same deployment under another name: nothing else changed. */
  readonly renames: readonly { readonly from: string; readonly to: string }[];
  /** Last step first. */
  readonly deletes: readonly string[];
  readonly unchanged: readonly string[];
  /** Whether the remaining children are in other steps than before. */
  readonly isReordered: boolean;
}

export interface ChildPatch {
  readonly child: ChildDeployment;
  /** The fields that differ, such as `manifest` or `placement`: only those axes run again. */
  readonly fields: readonly string[];
}

/** `before` is `undefined` when the group is created, `after` when it is deleted. */
export function groupDelta(
  before: DeploymentGroupSpec | undefined,
  after: DeploymentGroupSpec | undefined,
): GroupDelta {
  const [old, fresh] = [childrenOf(before), childrenOf(after)];
  const gone = [...old.values()].filter(({ name }) => !fresh.has(name));
  const come = [...fresh.values()].filter(({ name }) => !old.has(name));
  const renames = renamesOf(gone, come);
  const [from, to] = [new Set(renames.map((rename) => rename.from)), new Set(renames.map((rename) => rename.to))];
  const patches = [...fresh.values()].flatMap((child) => patchOf(old.get(child.name), child));
  const patched = new Set(patches.map(({ child }) => child.name));
  return {
    creates: come.filter(({ name }) => !to.has(name)),
    patches,
    renames,
    deletes: gone
      .map(({ name }) => name)
      .filter((name) => !from.has(name))
      .reverse(),
    unchanged: [...fresh.keys()].filter((name) => old.has(name) && !patched.has(name)),
    isReordered: isReordered({ before, after, renames }),
  };
}

/** By name, in the order of the steps. */
function childrenOf(spec: DeploymentGroupSpec | undefined): ReadonlyMap<string, ChildDeployment> {
  if (spec === undefined) return new Map();
  const byName = new Map(spec.deployments.map((child) => [child.name, child]));
  return new Map(
    stepsOf(spec)
      .flat()
      .flatMap((name) => {
        const child = byName.get(name);
        return child === undefined ? [] : [[name, child] as const];
      }),
  );
}

/** Children that differ only by name. Among several identical ones, the first becomes the first. */
function renamesOf(gone: readonly ChildDeployment[], come: readonly ChildDeployment[]): GroupDelta['renames'] {
  const left = [...gone];
  return come.flatMap((child) => {
    const place = left.findIndex((other) => bodyText(other) === bodyText(child));
    const [other] = place === -1 ? [] : left.splice(place, 1);
    return other === undefined ? [] : [{ from: other.name, to: child.name }];
  });
}

function bodyText(child: ChildDeployment): string {
  return canonicalJson({ ...child, name: '' });
}

function patchOf(before: ChildDeployment | undefined, child: ChildDeployment): readonly ChildPatch[] {
  if (before === undefined) return [];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(child)])].sort();
  const fields = keys.filter((key) => textOf(before[key]) !== textOf(child[key]));
  return fields.length === 0 ? [] : [{ child, fields }];
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}

interface Reordering {
  readonly before: DeploymentGroupSpec | undefined;
  readonly after: DeploymentGroupSpec | undefined;
  readonly renames: GroupDelta['renames'];
}

/** Children that come or go do not count: only the steps of the others are compared, and empty steps are ignored. */
function isReordered({ before, after, renames }: Reordering): boolean {
  const nameNow = new Map(renames.map(({ from, to }) => [from, to]));
  const old = before === undefined ? [] : stepsOf(before).map((step) => step.map((name) => nameNow.get(name) ?? name));
  const fresh = after === undefined ? [] : stepsOf(after);
  const [wereThere, areThere] = [new Set(old.flat()), new Set(fresh.flat())];
  return stepsText(old, areThere) !== stepsText(fresh, wereThere);
}

/** The order within a step does not matter. */
function stepsText(steps: readonly (readonly string[])[], among: ReadonlySet<string>): string {
  const kept = steps.map((step) => step.filter((name) => among.has(name)).sort());
  return canonicalJson(kept.filter((step) => step.length > 0));
}
