import type { DeploymentTargetResource } from '#protocol/api';
import { renderTable } from '../output/render-table.ts';
import { whyOf } from './render-targets.ts';
import { deliveryState } from './target-state.ts';

/** Enough for a person to read. */
const SHOWN = 20;

/** The targets for `describe`: those that are not applied and available first, each with its whole reason. */
export function renderTargetsSection(targets: readonly DeploymentTargetResource[], hasMore: boolean): string {
  if (targets.length === 0) return 'none\n';
  const sorted = [...targets.filter((target) => !isWell(target)), ...targets.filter(isWell)];
  const rows = sorted
    .slice(0, SHOWN)
    .map((target) => [target.target, deliveryState(target), target.health.status, whyOf(target)]);
  const rest = sorted.length - SHOWN;
  const more = rest > 0 || hasMore ? 'and more; fleetshift rollout status --all-targets lists them\n' : '';
  return `${renderTable(['TARGET', 'DELIVERY', 'HEALTH', 'REASON'], rows)}${more}`;
}

function isWell(target: DeploymentTargetResource): boolean {
  return deliveryState(target) === 'Applied' && target.health.status === 'Available';
}
