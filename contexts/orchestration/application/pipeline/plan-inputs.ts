import { canonicalJson } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { PlannedTarget } from '../../domain/deployment/decide-plan.ts';
import type { Deployment, DeploymentSpec } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import type { RequestedChange } from '../../domain/deployment/requested-change.ts';
import { contentOf } from '../../domain/deployment/revision.ts';
import type { Manifest } from '../../domain/manifest/manifest-strategy.ts';
import { scoresReadBy } from '../../domain/placement/placement-faults.ts';
import type { PlacementRegistry } from '../../domain/placement/placement-registry.ts';
import { reachOf, withRefs } from '../../domain/placement/reach.ts';
import { type Resolution, resolvePlacement } from '../../domain/placement/resolve-placement.ts';
import type { PoolTarget, UnitOfWork } from '../ports.ts';

/** The state of the world that planning depends on, at one moment. */
export interface PlanInputs {
  readonly rows: readonly DeploymentTarget[];
  readonly resolution: Resolution;
  /** The targets that still exist, of those resolved and of those that have a row. */
  readonly targets: ReadonlyMap<TargetId, PoolTarget & PlannedTarget>;
}

export interface PlanInputsRequest {
  readonly deployment: Deployment;
  readonly spec: DeploymentSpec;
  readonly manifest: Pick<Manifest, 'type' | 'fits'>;
  readonly placements: PlacementRegistry;
  readonly now: number;
  /** Placement is not resolved again: the last sure resolution stays. */
  readonly isAsBefore?: boolean;
}

export async function loadPlanInputs(
  unit: UnitOfWork,
  request: PlanInputsRequest,
  signal: AbortSignal,
): Promise<PlanInputs> {
  const { deployment } = request;
  const rows = await unit.targets.of(deployment.uid, signal);
  const { kind, waiting = [] } = deployment.status.placement;
  // Where newcomers wait, the rest of their moves is resolved again: a removal alone would shrink the fleet.
  const isAsBefore = request.isAsBefore === true && kind === 'sure' && waiting.length === 0;
  const pool = isAsBefore || deployment.deletion !== undefined ? [] : await poolOf(unit, { ...request, rows }, signal);
  const resolution = isAsBefore
    ? resolvedLast(deployment, rows)
    : await resolve(unit, { ...request, rows, pool }, signal);
  const targets = new Map<TargetId, PoolTarget>([...pool, unit.pool.local].map((target) => [target.id, target]));
  // Targets that have content of the deployment may have moved elsewhere.
  const others = rows.filter(({ target }) => !targets.has(target)).map(({ target }) => target);
  for (const target of others.length === 0 ? [] : await unit.pool.find(others, signal)) targets.set(target.id, target);
  return { rows, resolution, targets };
}

/** Targets that are placed already are always read, whether or not the placements still reach them. */
async function poolOf(
  unit: UnitOfWork,
  { deployment, spec, placements, rows }: PlanInputsRequest & Pick<PlanInputs, 'rows'>,
  signal: AbortSignal,
): Promise<readonly PoolTarget[]> {
  const reach = withRefs(
    reachOf(spec.placement, placements),
    rows.map(({ target }) => target),
  );
  return await unit.pool.below(deployment.workspace.path, reach, signal);
}

/** Targets whose removal is held are not part of the resolution. */
function resolvedLast({ status }: Deployment, rows: readonly DeploymentTarget[]): Resolution {
  const { held, excluded, retained, missing } = status.placement;
  const left = new Set(held.map(({ id }) => id));
  const staying = rows.filter(({ target, isPlaced }) => isPlaced && !left.has(target));
  return { kind: 'sure', targets: staying.map(({ target }) => target).sort(), excluded, retained, missing };
}

interface Resolving extends PlanInputsRequest {
  readonly rows: readonly DeploymentTarget[];
  readonly pool: readonly PoolTarget[];
}

async function resolve(unit: UnitOfWork, resolving: Resolving, signal: AbortSignal): Promise<Resolution> {
  const { deployment, spec, manifest, placements, now, rows, pool } = resolving;
  const ids = pool.map(({ id }) => id);
  const read = scoresReadBy(spec.placement, placements);
  const competes = spec.placement.some(({ type }) => placements.get(type)?.chooses === 'among');
  return resolvePlacement(spec.placement, pool, {
    registry: placements,
    previous: new Set(rows.filter(({ isPlaced }) => isPlaced).map(({ target }) => target)),
    scores: read.size === 0 ? new Map() : await unit.scores.of(ids, [...read], signal),
    ...(competes ? { loads: await unit.targets.loads(deployment.uid, ids, signal) } : {}),
    local: unit.pool.local,
    fits: { manifestTypes: [manifest.type], ...(manifest.fits === undefined ? {} : { targetTypes: manifest.fits }) },
    now,
  });
}

/** The content and settings of the next rollout, with a requested rollback taken into account. */
export interface DesiredRevision {
  readonly spec: DeploymentSpec;
  /** The revision that the rollout will have. */
  readonly revision: number;
  readonly rollbackTo: number | undefined;
  readonly isPaced: boolean;
  /** The fields of the deployment that the rollout changes. */
  readonly next: Pick<Deployment, 'spec' | 'generation'>;
}

/**
 * A rollback restores everything that documents are generated from, but never placement or rollout: it must not shrink a
 * fleet.
 */
export async function desiredRevision(
  unit: UnitOfWork,
  { deployment, requested }: { readonly deployment: Deployment; readonly requested: RequestedChange },
  signal: AbortSignal,
): Promise<DesiredRevision> {
  const { uid, spec, generation } = deployment;
  const revision = Math.max(deployment.revision, requested.ahead) + 1;
  const { rollback } = requested;
  const old = rollback === undefined ? undefined : await unit.revisions.find(uid, rollback.to, signal);
  if (rollback === undefined || old === undefined || deployment.deletion !== undefined) {
    return { spec, revision, rollbackTo: undefined, isPaced: true, next: { spec, generation } };
  }
  const { namespace: _, ...kept } = spec;
  const restored = { ...kept, ...contentOf(old.spec) };
  const isSame = canonicalJson(restored) === canonicalJson(spec);
  const next = isSame ? { spec, generation } : { spec: restored, generation: generation + 1 };
  return { spec: next.spec, revision, rollbackTo: rollback.to, isPaced: rollback.paced, next };
}

/** Whether results computed for one are valid for the other. */
export function isSameRevision(a: DesiredRevision, b: DesiredRevision): boolean {
  return a.revision === b.revision && a.next.generation === b.next.generation && a.rollbackTo === b.rollbackTo;
}

/** The last rollout did not succeed, so any target may lack anything. */
export async function isUnfinished(
  unit: UnitOfWork,
  { uid, revision }: Deployment,
  signal: AbortSignal,
): Promise<boolean> {
  const last = revision === 0 ? undefined : await unit.revisions.find(uid, revision, signal);
  return last?.outcome !== 'Succeeded';
}
