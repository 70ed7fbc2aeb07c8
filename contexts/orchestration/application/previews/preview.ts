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
import type { Wishes } from '../../domain/deployment/wishes-of.ts';
import { causeOf, type RemovalCause } from '../../domain/placement/removal-cause.ts';
import type { Resolution } from '../../domain/placement/resolve-placement.ts';
import type { GateSpec } from '../../domain/rollout/gates/gate.ts';
import type { Plan } from '../../domain/rollout/plan.ts';
import { withRequiredGates } from '../../domain/rollout/required-gates.ts';
import type { RolloutRegistry } from '../../domain/rollout/rollout-strategy.ts';
import type { Surroundings } from '../pipeline/look-around.ts';
import type { Wanted } from '../pipeline/wanted-content.ts';

/** All that a preview follows from. */
export interface PreviewScene {
  readonly deployment: Deployment;
  readonly wishes: Wishes;
  readonly around: Surroundings;
  /** The last rollout did not come to its own end: anybody may lack anything. */
  readonly isUnfinished: boolean;
  /** What each of those that are to have it would get. */
  readonly wanted: ReadonlyMap<TargetId, Wanted>;
  /** What each was last given, by hash. */
  readonly given: ReadonlyMap<TargetId, string>;
  readonly rollouts: RolloutRegistry;
  /** What policies demand of a plan for all that are placed now or were. */
  readonly requiredGates: readonly GateSpec[];
  readonly now: number;
}

export const PREVIEW_KINDS = ['added', 'changed', 'unchanged', 'removed', 'failing'] as const;
/** `unchanged` is sent all the same: it is not known to have it, or not well with it. `failing`: nothing can be made. */
export type PreviewKind = (typeof PREVIEW_KINDS)[number];

/** What would become of one target. */
export interface PreviewedTarget {
  readonly id: TargetId;
  readonly name: string;
  readonly kind: PreviewKind;
  /** What it was last given, by hash. */
  readonly before: string | undefined;
  readonly wanted: Wanted | undefined;
}

export interface PreviewOutcome {
  readonly resolution: PreviewedResolution;
  /** Missing when it is in doubt who is to have it: then nothing is delivered or removed. */
  readonly plan: Plan | undefined;
  /** All that change, in the order of names. */
  readonly targets: readonly PreviewedTarget[];
  /** The same for the same outcome: who gets what in which order, secrets included. */
  readonly digest: string;
}

export interface PreviewedResolution extends Omit<Membership['placement'], 'kind'> {
  readonly kind: 'sure' | 'unsure';
  readonly added: readonly TargetId[];
  readonly removed: readonly { readonly id: TargetId; readonly cause: RemovalCause }[];
}

/** What the pipeline would make of it, by the same functions. Throws what a rollout strategy throws. */
export function previewOf(scene: PreviewScene): PreviewOutcome {
  const { deployment, around, wishes, now } = scene;
  const sure = surely(deployment, around.resolution);
  if (sure.kind === 'unsure') {
    const resolution = { ...NOTHING, kind: sure.kind, why: sure.why };
    return { resolution, plan: undefined, targets: [], digest: contentHash({ resolution }) };
  }
  const membership = decideMembership({ ...around, deployment, wishes, resolution: sure, now });
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

/** One that is deleted goes from everywhere, whatever its placement says. */
function surely({ deletion }: Deployment, resolution: Resolution): Resolution {
  return deletion === undefined ? resolution : { ...NOTHING, kind: 'sure', targets: [] };
}

/** It is as it should be, or nobody asks. */
function isLeft(row: DeploymentTarget, { wishes, isUnfinished, wanted }: PreviewScene): boolean {
  if (!row.isPlaced || wishes.again.has(row.target)) return false;
  const its = wanted.get(row.target);
  return !isCompared(row, { wishes, isUnfinished }) || isUpToDate(row, its?.kind === 'content' ? its.hash : undefined);
}

function resolutionOf({ delta, rows, placement }: Membership, { around, wishes }: PreviewScene): PreviewedResolution {
  const excluded = new Map(placement.excluded.map((exclusion) => [exclusion.id, exclusion]));
  const lost = around.rows.filter(({ isPlaced, target }) => isPlaced && rows.get(target)?.isPlaced !== true);
  const removed = lost.map(({ target: id }) => {
    const exclusion = excluded.get(id);
    const cause = exclusion === undefined ? 'deploymentDeleted' : causeOf(exclusion, wishes.causes);
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

function kindOf(before: string | undefined, wanted: Wanted | undefined): PreviewKind {
  if (wanted === undefined) return 'removed';
  if (wanted.kind === 'failed') return 'failing';
  if (before === undefined) return 'added';
  return before === wanted.payload.hash ? 'unchanged' : 'changed';
}
