import type { TargetId } from '#protocol/targets';
import type { PlanInput } from '../rollout-strategy.ts';

/** The targets to change, ordered by name, so that the same delta gives the same plan. */
export interface ChangeLists {
  readonly remove: readonly TargetId[];
  readonly deliver: readonly TargetId[];
  readonly current: readonly TargetId[];
}

export function changeLists({ delta, views, upToDate }: PlanInput): ChangeLists {
  const byName = (a: TargetId, b: TargetId): number =>
    compare(views.get(a)?.name ?? '', views.get(b)?.name ?? '') || compare(a, b);
  const resolved = [...delta.added, ...delta.unchanged].sort(byName);
  return {
    remove: [...delta.removed].sort(byName),
    deliver: resolved.filter((id) => !upToDate.has(id)),
    current: resolved.filter((id) => upToDate.has(id)),
  };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
