import { contentHash } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import {
  decideMembership,
  isCompared,
  isUpToDate,
  type Membership,
  planOf,
} from '../../domain/deployment/decide-plan.ts';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { hasContent } from '../../domain/deployment/order-of-target.ts';
import type { RequestedChange } from '../../domain/deployment/requested-change.ts';
import { causeOf, type RemovalCause } from '../../domain/placement/removal-cause.ts';
import type { Resolution } from '../../domain/placement/resolve-placement.ts';
import type { GateSpec } from '../../domain/rollout/gates/gate.ts';
import { type Plan, withRequiredGates } from '../../domain/rollout/plan.ts';
import type { RolloutRegistry } from '../../domain/rollout/rollout-strategy.ts';
import type { DesiredContent } from '../pipeline/generation/desired-contents.ts';
import type { PlanInputs } from '../pipeline/plan-inputs.ts';

/** All inputs of a preview. */
export interface PreviewScene {
  readonly deployment: Deployment;
  readonly requested: RequestedChange;
  readonly around: PlanInputs;
  /** The last rollout did not succeed, so any target may lack anything. */
  readonly isUnfinished: boolean;
  /** The content that each placed target would get. */
  readonly wanted: ReadonlyMap<TargetId, DesiredContent>;
  /** The hash of the content last assigned to each target. */
  readonly given: ReadonlyMap<TargetId, string>;
  readonly rollouts: RolloutRegistry;
  /** The gates that policies require of a plan for all targets placed now or before. */
  readonly requiredGates: readonly GateSpec[];
  readonly now: number;
}

export const PREVIEW_KINDS = ['added', 'changed', 'unchanged', 'removed', 'failing'] as const;
/**
 * `unchanged` targets are sent the content anyway: they are not known to have it, or not healthy with it. `failing`: no
 * content can be generated.
 */
export type PreviewKind = (typeof PREVIEW_KINDS)[number];

/** The predicted change of one target. */
export interface PreviewedTarget {
  readonly id: TargetId;
  readonly name: string;
  readonly kind: PreviewKind;
  /** The hash of the content last assigned to it. */
  readonly before: string | undefined;
  readonly wanted: DesiredContent | undefined;
}

export interface PreviewOutcome {
  readonly resolution: PreviewedResolution;
  /** Absent if the placement is in doubt: then nothing is delivered or removed. */
  readonly plan: Plan | undefined;
  /** All targets that change, ordered by name. */
  readonly targets: readonly PreviewedTarget[];
  /** Equal for equal outcomes: which target gets what in which order, secrets included. */
  readonly digest: string;
}

export interface PreviewedResolution extends Omit<Membership['placement'], 'kind'> {
  readonly kind: 'sure' | 'unsure';
  readonly added: readonly TargetId[];
  readonly removed: readonly { readonly id: TargetId; readonly cause: RemovalCause }[];
}

/** Predicts the rollout, with the same functions that the pipeline uses. Throws whatever a rollout strategy throws. */
export function previewOf(scene: PreviewScene): PreviewOutcome {
  const { deployment, around, requested, now } = scene;
  const sure = surely(deployment, around.resolution);
  if (sure.kind === 'unsure') {
    const resolution = { ...NOTHING, kind: sure.kind, why: sure.why };
    return { resolution, plan: undefined, targets: [], digest: contentHash({ resolution }) };
  }
  const membership = decideMembership({ ...around, deployment, requested, resolution: sure, now });
  const upToDate = new Set(
    [...membership.rows.values()].filter((row) => isLeft(row, scene)).map(({ target }) => target),
  );
  const { spec } = deployment;
  const own = planOf({ spec: spec.rollout, membership, targets: around.targets, upToDate, rollouts: scene.rollouts });
  const plan = withRequiredGates(own, scene.requiredGates);
  const resolution = resolutionOf(membership, scene);
  const targets = changedTargets(plan, membership, scene);
  const hashes = targets.map(({ id, wanted }) => [id, wanted?.kind === 'content' ? wanted.hash : null]);
  return { resolution, plan, targets, digest: contentHash({ resolution, plan, hashes }) };
}

const NOTHING = { added: [], removed: [], excluded: [], retained: [], missing: [], held: [] } as const;

/** A deleted deployment is removed everywhere, whatever its placement says. */
function surely({ deletion }: Deployment, resolution: Resolution): Resolution {
  return deletion === undefined ? resolution : { ...NOTHING, kind: 'sure', targets: [] };
}

/** The target is up to date, or no trigger concerns it. */
function isLeft(row: DeploymentTarget, { requested, isUnfinished, wanted }: PreviewScene): boolean {
  if (!row.isPlaced || requested.again.has(row.target)) return false;
  const its = wanted.get(row.target);
  return (
    !isCompared(row, { requested, isUnfinished }) || isUpToDate(row, its?.kind === 'content' ? its.hash : undefined)
  );
}

function resolutionOf(
  { delta, rows, placement }: Membership,
  { around, requested }: PreviewScene,
): PreviewedResolution {
  const excluded = new Map(placement.excluded.map((exclusion) => [exclusion.id, exclusion]));
  const lost = around.rows.filter(({ isPlaced, target }) => isPlaced && rows.get(target)?.isPlaced !== true);
  const removed = lost.map(({ target: id }) => {
    const exclusion = excluded.get(id);
    const cause = exclusion === undefined ? 'deploymentDeleted' : causeOf(exclusion, requested.causes);
    return { id, cause: cause ?? 'confirmed' } as const;
  });
  return { ...placement, kind: 'sure', added: delta.added, removed };
}

function changedTargets({ steps }: Plan, { rows }: Membership, scene: PreviewScene): readonly PreviewedTarget[] {
  const previewed = (id: TargetId, isRemoved: boolean): PreviewedTarget => {
    const row = rows.get(id);
    const before = row !== undefined && hasContent(row) ? scene.given.get(id) : undefined;
    const wanted = isRemoved ? undefined : scene.wanted.get(id);
    return { id, name: row?.name ?? id, kind: kindOf(before, wanted), before, wanted };
  };
  return steps
    .flatMap(({ deliver, remove }) => [
      ...remove.map((id) => previewed(id, true)),
      ...deliver.map((id) => previewed(id, false)),
    ])
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf(before: string | undefined, wanted: DesiredContent | undefined): PreviewKind {
  if (wanted === undefined) return 'removed';
  if (wanted.kind === 'failed') return 'failing';
  if (before === undefined) return 'added';
  return before === wanted.payload.hash ? 'unchanged' : 'changed';
}
