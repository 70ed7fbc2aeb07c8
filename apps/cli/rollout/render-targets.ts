import type { DeploymentResource, DeploymentTargetResource } from '#protocol/api';
import type { Colour } from '../output/paint.ts';
import { renderTable } from '../output/render-table.ts';
import { renderAge } from '../output/render-time.ts';
import { shorten } from '../output/shorten.ts';
import type { Drawing, RolloutPicture } from './rollout-picture.ts';
import { deliveryState, type TargetState, targetState } from './target-state.ts';

/** In display order: states that need a person come first. */
const COLOURS: Readonly<Record<TargetState, Colour>> = {
  failed: 'red',
  degraded: 'red',
  offline: 'yellow',
  owed: 'yellow',
  drifted: 'yellow',
  applying: 'cyan',
  sending: 'cyan',
  queued: 'cyan',
  settling: 'cyan',
  removing: 'cyan',
  leaving: 'cyan',
  pending: 'dim',
  done: 'green',
};
const ORDER = Object.keys(COLOURS);
const WHY_LENGTH = 80;

/** A table of the targets that are not done, or of all targets. */
export function renderTargets({ deployment, targets }: RolloutPicture, drawing: Drawing): string[] {
  const { now, paint, limit, allTargets } = drawing;
  const revision = revisionToCome(deployment);
  const told = targets
    .map((target) => ({ target, state: targetState(target, revision) }))
    .filter(({ state }) => allTargets || state !== 'done')
    .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  if (told.length === 0) return [];
  const shown = told.slice(0, limit);
  const rows = shown.map(({ target, state }) => [
    target.target,
    state,
    deliveryState(target),
    target.applied === undefined ? '-' : String(target.applied.revision),
    target.health.status,
    renderAge(target.order?.since ?? target.updateTime, now),
    shorten(whyOf(target), WHY_LENGTH),
  ]);
  const headings = ['TARGET', 'STATE', 'DELIVERY', 'HAS', 'HEALTH', 'FOR', 'WHY'];
  const [heading = '', ...lines] = renderTable(headings, rows).trimEnd().split('\n');
  const painted = lines.map((line, index) => paint(COLOURS[shown[index]?.state ?? 'done'], line));
  const rest = told.length - shown.length;
  return [heading, ...painted, ...(rest > 0 ? [`and ${rest} more; --limit ${told.length} shows them`] : [])];
}

/**
 * The revision that the remaining targets wait for; 0 when every target was processed. Targets without changes keep the
 * revision that delivered their content.
 */
function revisionToCome({ status: { rollout } }: DeploymentResource): number {
  if (rollout === undefined || rollout.phase === 'Finished') return 0;
  const isToCome = rollout.steps.some(({ targets, done, failed, underWay }) => done + failed + underWay < targets);
  return isToCome ? rollout.revision : 0;
}

export function whyOf({ failure, health, drift }: DeploymentTargetResource): string {
  if (failure !== undefined) return `${failure.reason}: ${failure.message}`;
  if (drift.length > 0) return `differs from what was delivered: ${drift.join(', ')}`;
  return health.message;
}
