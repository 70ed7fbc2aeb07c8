import type { Json } from '#kit/std';
import { canonicalJson } from '#kit/std';
import { type ChildDeployment, type DeploymentGroupSpec, stepsOf } from './deployment-group.ts';

/** What a patch of a group means for its children, by their short names. */
export interface GroupDelta {
  /** In the order of the new steps, like patches and renames. */
  readonly creates: readonly ChildDeployment[];
  readonly patches: readonly ChildPatch[];
  /** The same deployment under another name: nothing else of it changed. */
  readonly renames: readonly { readonly from: string; readonly to: string }[];
  /** Last step first. */
  readonly deletes: readonly string[];
  readonly unchanged: readonly string[];
  /** Whether those that stay come in other steps than before. */
  readonly isReordered: boolean;
}

export interface ChildPatch {
  readonly child: ChildDeployment;
  /** The fields that differ, `manifest` or `placement` say: only their axis runs again. */
  readonly fields: readonly string[];
}

/** `undefined` before the group is made, and once it is to go. */
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

/** Alike but for the name. Of several that are alike, the first becomes the first. */
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

/** Whoever comes or goes does not count: the steps of the others are compared, and a step without any is none. */
function isReordered({ before, after, renames }: Reordering): boolean {
  const nameNow = new Map(renames.map(({ from, to }) => [from, to]));
  const old = before === undefined ? [] : stepsOf(before).map((step) => step.map((name) => nameNow.get(name) ?? name));
  const fresh = after === undefined ? [] : stepsOf(after);
  const [wereThere, areThere] = [new Set(old.flat()), new Set(fresh.flat())];
  return stepsText(old, areThere) !== stepsText(fresh, wereThere);
}

/** Within a step there is no order. */
function stepsText(steps: readonly (readonly string[])[], among: ReadonlySet<string>): string {
  const kept = steps.map((step) => step.filter((name) => among.has(name)).sort());
  return canonicalJson(kept.filter((step) => step.length > 0));
}
