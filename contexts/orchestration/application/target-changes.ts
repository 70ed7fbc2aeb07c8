import type { TargetId } from '#protocol/targets';
import type { Deployment } from '../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../domain/deployment/deployment-target.ts';
import type { Trigger } from '../domain/deployment/trigger.ts';
import { maySelect } from '../domain/placement/may-select.ts';
import type { PlacementRegistry } from '../domain/placement/placement-registry.ts';
import type { TargetCause } from '../domain/placement/removal-cause.ts';
import type { PlacementView } from '../domain/target-view.ts';

/** The aspects of a target that may have changed: its existence, or a field that placement reads. */
export type ChangedField = 'presence' | 'labels' | 'manifestTypes' | 'lifecycle';

/** A change of a target, as far as it matters to deployments. */
export interface TargetChange {
  readonly target: TargetId;
  readonly fields: readonly ChangedField[];
  /** The causes that would justify a removal because of it. */
  readonly causes: readonly TargetCause[];
  /** JSON pointers to the changed fields that a manifest can read. */
  readonly paths: readonly string[];
}

/** A target with the path of its workspace. */
export interface PlacedView extends PlacementView {
  readonly workspacePath: string;
}

/** A target change in relation to one deployment. */
export interface Standing {
  readonly change: TargetChange;
  /** The target as it is now; `undefined` once it is gone. */
  readonly view: PlacedView | undefined;
  readonly row: Pick<DeploymentTarget, 'isPlaced'> | undefined;
}

export interface Reading {
  readonly placements: PlacementRegistry;
  /** The target fields that the deployment's manifest reads; all of them if unknown. */
  readonly reads: readonly string[];
}

/** Merges changes per target, so that a burst makes no more triggers than there are targets. */
export function mergedChanges(changes: readonly TargetChange[]): readonly TargetChange[] {
  const byTarget = Map.groupBy(changes, ({ target }) => target);
  return Array.from(byTarget, ([target, its]) => ({
    target,
    fields: distinct(its.flatMap(({ fields }) => fields)),
    causes: distinct(its.flatMap(({ causes }) => causes)),
    paths: distinct(its.flatMap(({ paths }) => paths)),
  }));
}

/** The effect of the changes on one deployment: at most one placement trigger per target, and one to regenerate. */
export function triggersOf(deployment: Deployment, standings: readonly Standing[], reading: Reading): Trigger[] {
  const triggers: Trigger[] = standings
    .filter((standing) => concernsPlacement(deployment, standing, reading.placements))
    .map(({ change: { target, causes } }) => ({ kind: 'target', target, causes }));
  const touched = standings.filter(({ change, row }) => row?.isPlaced === true && reads(reading.reads, change.paths));
  if (touched.length === 0 || deployment.deletion !== undefined) return triggers;
  const why = `targets changed in ${firstOf(distinct(touched.flatMap(({ change }) => change.paths)))}`;
  return [...triggers, { kind: 'regenerate', targets: touched.map(({ change }) => change.target), why }];
}

/** `/root/emea/web/` gives `/root/`, `/root/emea/` and itself: the workspaces whose deployments can reach it. */
export function pathsAbove(path: string): readonly string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}/`);
}

function isBelow(view: PlacedView, deployment: Pick<Deployment, 'workspace'>): boolean {
  return view.workspacePath.startsWith(deployment.workspace.path);
}

/**
 * A deployment with a row for the target is concerned by all changes that could move it; others only if the target could
 * be selected.
 */
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

/** The placement status mentions the target, which may be outdated now. */
function isNamed({ status }: Deployment, target: TargetId): boolean {
  const { held, excluded, retained, waiting = [] } = status.placement;
  return [held, excluded, retained, waiting].some((list) => list.some(({ id }) => id === target));
}

/** Whether a changed path contains a field that is read, or lies within one. */
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
