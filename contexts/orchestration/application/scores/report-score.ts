import type { TargetId } from '#protocol/targets';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import { scoresReadBy } from '../../domain/placement/placement-faults.ts';
import type { PlacementRegistry } from '../../domain/placement/placement-registry.ts';
import type { PlacementSpec, ReportedScore } from '../../domain/placement/placement-strategy.ts';
import type { UnitOfWork } from '../ports.ts';
import { pathsAbove } from '../target-changes.ts';
import { requestPlan } from '../wake-pipeline.ts';

/** A target and its position. */
export interface ScoredTarget {
  readonly id: TargetId;
  /** Path of its workspace. It ends with a slash. */
  readonly workspacePath: string;
}

/** Finds the deployments that a score may concern. */
export interface ScoreReaders {
  /** The deployments of these workspaces whose placement has one of these types. */
  placedBy(
    types: readonly string[],
    workspacePaths: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly { readonly uid: DeploymentId; readonly placement: readonly PlacementSpec[] }[]>;
}

export interface ReportScore {
  readonly target: ScoredTarget;
  readonly name: string;
  readonly score: ReportedScore;
  readonly registry: PlacementRegistry;
}

/**
 * Stores the score, and triggers the deployments that place by it and have the target in their pool. A deployment with a
 * pending trigger gets no second one: it reads the latest scores anyway.
 */
export async function reportScore(
  unit: Pick<UnitOfWork, 'scores' | 'triggers' | 'deployments'> & { readonly readers: ScoreReaders },
  { target, name, score, registry }: ReportScore,
  signal: AbortSignal,
): Promise<void> {
  await unit.scores.put(target.id, name, score, signal);
  const types = [...registry.values()].filter((strategy) => 'scores' in strategy).map(({ type }) => type);
  const above = await unit.readers.placedBy(types, pathsAbove(target.workspacePath), signal);
  for (const { uid, placement } of above) {
    if (!scoresReadBy(placement, registry).has(name)) continue;
    const pending = await unit.triggers.of(uid, signal);
    if (pending.some(({ trigger }) => trigger.kind === 'scores')) continue;
    await requestPlan(unit, uid, { triggers: [{ kind: 'scores' }], now: score.time }, signal);
  }
}
