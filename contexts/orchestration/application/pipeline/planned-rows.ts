import type { TargetId } from '#protocol/targets';
import { isCompared, isUpToDate } from '../../domain/deployment/decide-plan.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { UNSURE_HASH } from '../../domain/deployment/order-of-target.ts';
import type { Wishes } from '../../domain/deployment/wishes-of.ts';
import type { Hashes } from './prepare-plan.ts';

/** Targets that should get the content once more are treated as if their content were uncertain. */
export function sentAgain(
  rows: ReadonlyMap<TargetId, DeploymentTarget>,
  { again }: Wishes,
  now: number,
): ReadonlyMap<TargetId, DeploymentTarget> {
  if (again.size === 0) return rows;
  const next = new Map(rows);
  for (const target of again) {
    const row = rows.get(target);
    if (row?.applied === undefined || !row.isPlaced) continue;
    next.set(target, { ...row, applied: { ...row.applied, hash: UNSURE_HASH }, updateTime: now });
  }
  return next;
}

/** Targets that have nothing to change: they are up to date, or no trigger concerns them. */
export function upToDateOf(
  rows: ReadonlyMap<TargetId, DeploymentTarget>,
  {
    wishes,
    hashes,
    isUnfinished,
  }: { readonly wishes: Wishes; readonly hashes: Hashes; readonly isUnfinished: boolean },
): ReadonlySet<TargetId> {
  const upToDate = new Set<TargetId>();
  for (const row of rows.values()) {
    const hash = typeof hashes === 'string' ? hashes : hashes.get(row.target);
    const isLeft = row.isPlaced && !isCompared(row, { wishes, isUnfinished });
    if (isLeft || isUpToDate(row, hash)) upToDate.add(row.target);
  }
  return upToDate;
}
