import type { PlannedTarget } from '../../domain/deployment/decide-plan.ts';
import type { Deployment, DeploymentSpec } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import type { Manifest } from '../../domain/manifest/manifest-strategy.ts';
import { scoresReadBy } from '../../domain/placement/placement-faults.ts';
import type { PlacementRegistry } from '../../domain/placement/placement-registry.ts';
import { type Resolution, resolvePlacement } from '../../domain/placement/resolve-placement.ts';
import type { TargetId } from '../../domain/target-view.ts';
import type { PoolTarget, UnitOfWork } from '../ports.ts';

/** The world at one moment, as far as a deployment cares. */
export interface Surroundings {
  readonly rows: readonly DeploymentTarget[];
  readonly resolution: Resolution;
  /** All that are there of those resolved and of those that have a row. */
  readonly targets: ReadonlyMap<TargetId, PoolTarget & PlannedTarget>;
}

export interface Looking {
  readonly deployment: Deployment;
  readonly spec: DeploymentSpec;
  readonly manifest: Pick<Manifest, 'type' | 'fits'>;
  readonly placements: PlacementRegistry;
  readonly now: number;
}

export async function lookAround(unit: UnitOfWork, looking: Looking, signal: AbortSignal): Promise<Surroundings> {
  const { deployment, spec, manifest, placements, now } = looking;
  const rows = await unit.targets.of(deployment.uid, signal);
  const pool = deployment.deletion === undefined ? await unit.pool.below(deployment.workspace.path, signal) : [];
  const ids = pool.map(({ id }) => id);
  const competes = spec.placement.some(({ type }) => placements.get(type)?.chooses === 'among');
  const resolution = resolvePlacement(spec.placement, pool, {
    registry: placements,
    previous: new Set(rows.filter(({ isPlaced }) => isPlaced).map(({ target }) => target)),
    scores: await unit.scores.of(ids, [...scoresReadBy(spec.placement, placements)], signal),
    ...(competes ? { loads: await unit.targets.loads(deployment.uid, ids, signal) } : {}),
    local: unit.pool.local,
    fits: { manifestTypes: [manifest.type], ...(manifest.fits === undefined ? {} : { targetTypes: manifest.fits }) },
    now,
  });
  const targets = new Map<TargetId, PoolTarget>([...pool, unit.pool.local].map((target) => [target.id, target]));
  // Those that have something of it may be elsewhere by now.
  const others = rows.filter(({ target }) => !targets.has(target)).map(({ target }) => target);
  for (const target of others.length === 0 ? [] : await unit.pool.find(others, signal)) targets.set(target.id, target);
  return { rows, resolution, targets };
}
