import type { TargetId } from '#protocol/targets';
import type { DeploymentTarget } from '../deployment-target.ts';
import type { TargetCounts } from './deployment-status.ts';

export const NO_COUNTS: TargetCounts = {
  placed: 0,
  available: 0,
  degraded: 0,
  progressing: 0,
  unknown: 0,
  offline: 0,
  underWay: 0,
  failed: 0,
  leaving: 0,
  drifted: 0,
  ahead: 0,
};

const KEYS = Object.keys(NO_COUNTS) as readonly (keyof TargetCounts)[];

/**
 * The counts after a row changed; pass `undefined` for a row that did not exist before or does not exist after. Returns
 * the very same object when nothing that is counted changed.
 */
export function countsAfter(
  counts: TargetCounts,
  before: DeploymentTarget | undefined,
  after: DeploymentTarget | undefined,
): TargetCounts {
  const [was, is] = [marksOf(before), marksOf(after)];
  if (KEYS.every((key) => was[key] === is[key])) return counts;
  const next = Object.fromEntries(KEYS.map((key) => [key, (counts[key] ?? 0) + Number(is[key]) - Number(was[key])]));
  return { ...counts, ...next };
}

/** The counts after rows changed, and after those of other targets were deleted. */
export function countsWith(
  counts: TargetCounts,
  before: ReadonlyMap<TargetId, DeploymentTarget>,
  { rows, gone = [] }: { readonly rows: Iterable<DeploymentTarget>; readonly gone?: Iterable<TargetId> },
): TargetCounts {
  let next = counts;
  for (const row of rows) next = countsAfter(next, before.get(row.target), row);
  for (const target of gone) next = countsAfter(next, before.get(target), undefined);
  return next;
}

/**
 * A target's health, if it was reported for the content now on the target; health reported for earlier content does not
 * count.
 *
 * Code that records a later revision for unchanged content must record the same revision for its health.
 */
function currentHealth({ applied, health, healthRevision }: DeploymentTarget): DeploymentTarget['health'] {
  return applied === undefined || healthRevision < applied.revision ? 'Unknown' : health;
}

type Marks = Readonly<Record<keyof TargetCounts, boolean>>;

const NO_MARKS = Object.fromEntries(KEYS.map((key) => [key, false])) as Marks;

function marksOf(row: DeploymentTarget | undefined): Marks {
  if (row === undefined) return NO_MARKS;
  const { isPlaced, isOnline, applied, order, failure, isOwed } = row;
  const health = currentHealth(row);
  const isAsAsked = applied !== undefined && order === undefined && failure === undefined && !isOwed;
  return {
    placed: isPlaced,
    available: isPlaced && isOnline && isAsAsked && health === 'Available',
    degraded: isPlaced && health === 'Degraded',
    progressing: isPlaced && health === 'Progressing',
    unknown: isPlaced && applied !== undefined && health === 'Unknown',
    offline: isPlaced && !isOnline,
    underWay: order !== undefined,
    failed: failure !== undefined,
    leaving: !isPlaced,
    drifted: isPlaced && row.drift.length > 0,
    ahead: failure?.reason === 'RevisionAhead',
  };
}
