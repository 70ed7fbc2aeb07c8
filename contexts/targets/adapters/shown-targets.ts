import type { Principal, Visibility } from '#kit/http';
import type { ResourceName } from '#kit/std';
import type { TargetResource } from '#protocol/api';
import type { TargetReader, UnitOfWork, VisibleSet } from '../application/ports.ts';
import type { Target } from '../domain/target.ts';
import { toResource } from './target-resource.ts';

export interface Onlooker {
  readonly principal: Principal;
  readonly visibility: Visibility<VisibleSet>;
  /** Reads the target behind an alias; within a transaction, from that. */
  readonly targets: Pick<TargetReader, 'find'>;
}

/** Targets as this caller may see them: the name of the target behind an alias is shown to its readers only. */
export async function shownTargets(
  targets: readonly Target[],
  { principal, visibility, targets: reader }: Onlooker,
  signal: AbortSignal,
): Promise<TargetResource[]> {
  const behind = [...new Set(targets.flatMap(({ aliasOf }) => aliasOf ?? []))];
  if (behind.length === 0) return targets.map((target) => toResource(target));
  const visible = await visibility.of(principal, 'targets.read', signal);
  const found = await Promise.all(behind.map((name) => reader.find(name, signal)));
  const seen = new Set<ResourceName>(found.flatMap((each) => (each && isIn(visible, each) ? each.name : [])));
  return targets.map((target) => toResource(target, target.aliasOf !== undefined && seen.has(target.aliasOf)));
}

interface Asked {
  readonly request: { readonly principal: Principal; readonly signal: AbortSignal };
  readonly visibility: Visibility<VisibleSet>;
}

/** A target after a change, as the caller who made it may see it. */
export async function shownIn(
  { targets }: UnitOfWork,
  target: Target,
  { request, visibility }: Asked,
): Promise<TargetResource> {
  const { principal, signal } = request;
  const [shown = toResource(target)] = await shownTargets([target], { principal, visibility, targets }, signal);
  return shown;
}

/** The segments of a path are the names of workspaces. */
function isIn(visible: VisibleSet, { name, workspace: { path } }: Target): boolean {
  if (visible.kind === 'everything' || visible.targets.includes(name)) return true;
  const above = new Set(path.split('/'));
  return visible.workspaces.some((workspace) => above.has(workspace));
}
