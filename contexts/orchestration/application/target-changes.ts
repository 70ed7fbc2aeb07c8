import type { TargetId } from '#protocol/targets';
import type { Deployment } from '../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../domain/deployment/deployment-target.ts';
import type { Trigger } from '../domain/deployment/trigger.ts';
import { maySelect } from '../domain/placement/may-select.ts';
import type { PlacementRegistry } from '../domain/placement/placement-registry.ts';
import type { TargetCause } from '../domain/placement/removal-cause.ts';
import type { PlacementView } from '../domain/target-view.ts';

/** What of a target may have become another: that it is there, and what placement sees of it. */
export type ChangedField = 'presence' | 'labels' | 'manifestTypes' | 'lifecycle';

/** What happened to a target, as far as deployments may care. */
export interface TargetChange {
  readonly target: TargetId;
  readonly fields: readonly ChangedField[];
  /** What accounts for it, should somebody lose it by this. */
  readonly causes: readonly TargetCause[];
  /** JSON pointers to what differs in what a manifest can read of it. */
  readonly paths: readonly string[];
}

/** A target with the path of the workspace that it is in. */
export interface PlacedView extends PlacementView {
  readonly workspacePath: string;
}

/** How a deployment and a target stand to each other. */
export interface Standing {
  readonly change: TargetChange;
  /** As it is now; `undefined` once it is gone. */
  readonly view: PlacedView | undefined;
  readonly row: Pick<DeploymentTarget, 'isPlaced'> | undefined;
}

export interface Reading {
  readonly placements: PlacementRegistry;
  /** The fields of a target that the deployment's manifest reads; all of them when that cannot be told. */
  readonly reads: readonly string[];
}

/** Several changes of one target are one change of it, so that a burst makes no more triggers than there are targets. */
export function mergedChanges(changes: readonly TargetChange[]): readonly TargetChange[] {
  const byTarget = Map.groupBy(changes, ({ target }) => target);
  return Array.from(byTarget, ([target, its]) => ({
    target,
    fields: distinct(its.flatMap(({ fields }) => fields)),
    causes: distinct(its.flatMap(({ causes }) => causes)),
    paths: distinct(its.flatMap(({ paths }) => paths)),
  }));
}

/** What the changes mean for one deployment: at most one trigger for each target's place, and one to generate again. */
export function triggersOf(deployment: Deployment, standings: readonly Standing[], reading: Reading): Trigger[] {
  const triggers: Trigger[] = standings
    .filter((standing) => concernsPlacement(deployment, standing, reading.placements))
    .map(({ change: { target, causes } }) => ({ kind: 'target', target, causes }));
  const touched = standings.filter(({ change, row }) => row?.isPlaced === true && reads(reading.reads, change.paths));
  if (touched.length === 0 || deployment.deletion !== undefined) return triggers;
  const why = `targets changed in ${firstOf(distinct(touched.flatMap(({ change }) => change.paths)))}`;
  return [...triggers, { kind: 'regenerate', targets: touched.map(({ change }) => change.target), why }];
}

/** `/root/`, `/root/emea/` and `/root/emea/web/` of the last: whose deployments may reach what is in it. */
export function pathsAbove(path: string): readonly string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}/`);
}

function isBelow(view: PlacedView, deployment: Pick<Deployment, 'workspace'>): boolean {
  return view.workspacePath.startsWith(deployment.workspace.path);
}

/** Whoever has it is concerned by all that could move it; whoever has it not, only if it could come to have it. */
function concernsPlacement(deployment: Deployment, standing: Standing, placements: PlacementRegistry): boolean {
  const { change, view, row } = standing;
  if (change.fields.length === 0) return false;
  const isInPool = view !== undefined && isBelow(view, deployment);
  if (!isInPool) return row !== undefined || isNamed(deployment, change.target);
  if (deployment.deletion !== undefined) return false;
  const selection = maySelect(deployment.spec.placement, view, placements);
  if (isNamed(deployment, change.target)) return true;
  if (row === undefined) return selection !== 'no';
  const isLabelsOnly = change.fields.every((field) => field === 'labels');
  return !(isLabelsOnly && selection === 'yes' && row.isPlaced);
}

/** Its status says something of the target, which may not be so any longer. */
function isNamed({ status }: Deployment, target: TargetId): boolean {
  const { held, excluded, retained } = status.placement;
  return [held, excluded, retained].some((list) => list.some(({ id }) => id === target));
}

/** A pointer to something within what is read, or to what that is within. */
function reads(pointers: readonly string[], changed: readonly string[]): boolean {
  return pointers.some((read) => changed.some((path) => isWithin(path, read) || isWithin(read, path)));
}

function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`);
}

function firstOf(paths: readonly string[]): string {
  const sorted = paths.toSorted();
  return sorted.length > 3 ? `${sorted.slice(0, 3).join(', ')} and more` : sorted.join(', ');
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
