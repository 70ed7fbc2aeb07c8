import type { Deployment } from '../domain/deployment/deployment.ts';
import type { Trigger } from '../domain/deployment/trigger.ts';
import { maySelect } from '../domain/placement/may-select.ts';
import type { PlacementRegistry } from '../domain/placement/placement-registry.ts';
import type { PlacementView } from '../domain/target-view.ts';
import type { UnitOfWork } from './ports.ts';
import { pathsAbove } from './target-changes.ts';
import { requestPlan } from './wake-pipeline.ts';

/** A workspace that was moved, with everything below it. */
export interface MovedSubtree {
  readonly fromPath: string;
  readonly toPath: string;
  /** Every target in it. */
  readonly targets: readonly PlacementView[];
  readonly now: number;
}

/**
 * The effect of a move on one deployment. For `gains`, `count` is the number of targets its placement may choose: it is
 * not resolved yet.
 */
export interface MovedDeployment {
  readonly deployment: Deployment;
  readonly kind: 'loses' | 'gains';
  readonly count: number;
}

/**
 * Deployments above the old place but not above the new one lose their targets in the subtree; deployments above the new
 * place only may gain some. For all others, including those that move along, the pool stays the same.
 */
export async function followMove(
  unit: UnitOfWork,
  { move, placements }: { readonly move: MovedSubtree; readonly placements: PlacementRegistry },
  signal: AbortSignal,
): Promise<readonly MovedDeployment[]> {
  const [before, after] = [above(move.fromPath), above(move.toPath)];
  const ids = move.targets.map(({ id }) => id);
  const found: MovedDeployment[] = [];
  for (const deployment of await deploymentsIn(unit, before.difference(after), signal)) {
    const rows = await unit.targets.some(deployment.uid, ids, signal);
    const triggers = rows.map(({ target }): Trigger => ({ kind: 'target', target, causes: ['move'] }));
    await requestPlan(unit, deployment.uid, { triggers, now: move.now }, signal);
    found.push({ deployment, kind: 'loses', count: rows.filter(({ isPlaced }) => isPlaced).length });
  }
  for (const deployment of await deploymentsIn(unit, after.difference(before), signal)) {
    const { deletion, spec } = deployment;
    const chosen = deletion ? [] : move.targets.filter((one) => maySelect(spec.placement, one, placements) !== 'no');
    const triggers = chosen.map(({ id }): Trigger => ({ kind: 'target', target: id, causes: [] }));
    await requestPlan(unit, deployment.uid, { triggers, now: move.now }, signal);
    found.push({ deployment, kind: 'gains', count: chosen.length });
  }
  return found.filter(({ count }) => count > 0);
}

function above(path: string): Set<string> {
  return new Set(pathsAbove(path).slice(0, -1));
}

async function deploymentsIn(unit: UnitOfWork, paths: ReadonlySet<string>, signal: AbortSignal) {
  return paths.size === 0 ? [] : await unit.deployments.inWorkspaces([...paths], signal);
}
