import type { TargetId } from '#protocol/targets';
import type { Share } from '../budget/budget.ts';
import { type Delta, deltaOf, deltaOfDeletion, membersAfter } from '../placement/delta-of.ts';
import { isVanished } from '../placement/removal-cause.ts';
import type { Resolution } from '../placement/resolve-placement.ts';
import type { MemberFacts } from '../rollout/machine/member.ts';
import type { Plan } from '../rollout/plan.ts';
import type { RolloutRegistry, RolloutSpec } from '../rollout/rollout-strategy.ts';
import type { PlacementView } from '../target-view.ts';
import type { Deployment } from './deployment.ts';
import type { DeploymentTarget } from './deployment-target.ts';
import { hasContent, UNSURE_HASH, withoutOrder } from './order-of-target.ts';
import type { RequestedChange } from './requested-change.ts';
import type { PlacementStatus } from './status/deployment-status.ts';

export interface PlannedTarget extends PlacementView {
  readonly isOnline: boolean;
}

/** The targets that have the deployment from now on, and those that lose it. */
export interface Membership {
  /** All rows as they should be, changed or not. */
  readonly rows: ReadonlyMap<TargetId, DeploymentTarget>;
  /** Targets that have no content, or no longer exist: their rows are deleted. */
  readonly dropped: readonly TargetId[];
  readonly delta: {
    readonly added: readonly TargetId[];
    readonly removed: readonly TargetId[];
    readonly unchanged: readonly TargetId[];
  };
  readonly placement: PlacementStatus;
}

export interface MembershipScene {
  readonly deployment: Deployment;
  readonly requested: RequestedChange;
  readonly rows: readonly DeploymentTarget[];
  readonly resolution: Extract<Resolution, { kind: 'sure' }>;
  /** The targets that still exist, of those resolved and of those that have a row. */
  readonly targets: ReadonlyMap<TargetId, PlannedTarget>;
  readonly now: number;
}

/** Applies a sure resolution to the rows. A target that left earlier and still has content keeps leaving. */
export function decideMembership(scene: MembershipScene): Membership {
  const { deployment, rows, targets, now } = scene;
  const placed = new Set(rows.filter(({ isPlaced }) => isPlaced).map(({ target }) => target));
  const leaving = new Set(rows.filter((row) => isLeaving(row, targets)).map(({ target }) => target));
  const delta = deltaFor(scene, { placed, leaving });
  const stays = new Set(membersAfter(delta));
  const vanished = new Set(delta.removed.filter(({ cause }) => isVanished(cause)).map(({ id }) => id));
  const next = new Map<TargetId, DeploymentTarget>();
  const dropped: TargetId[] = [];
  for (const row of rows) {
    const isThere = targets.has(row.target) && !vanished.has(row.target);
    if (stays.has(row.target)) next.set(row.target, placedRow(row, targets.get(row.target), now));
    else if (isThere && hasContent(row)) next.set(row.target, leavingRow(row, now));
    else dropped.push(row.target);
  }
  for (const id of delta.added) {
    const target = targets.get(id);
    if (target !== undefined && !next.has(id)) next.set(id, newRow(deployment, target, now));
  }
  const removed = [...next.values()].filter(({ isPlaced }) => !isPlaced).map(({ target }) => target);
  const unchanged = [...delta.unchanged, ...delta.held.map(({ id }) => id)].sort();
  return {
    rows: next,
    dropped,
    delta: { added: delta.added, removed, unchanged },
    placement: placementOf(scene, delta),
  };
}

/** Whether the target's content is compared with the desired content, or left as it is. */
export function isCompared(row: DeploymentTarget, { requested, isUnfinished }: ComparisonScene): boolean {
  if (!row.isPlaced) return false;
  if (isUnfinished || requested.isForAll || requested.named.has(row.target)) return true;
  const isOwed = row.failure !== undefined || row.isOwed;
  if (isOwed) return requested.retriesAll;
  return row.applied === undefined;
}

export interface ComparisonScene {
  readonly requested: RequestedChange;
  /** The last rollout did not succeed, so any target may lack anything. */
  readonly isUnfinished: boolean;
}

/** The target has the desired content and is available with it. */
export function isUpToDate(row: DeploymentTarget, hash: string | undefined): boolean {
  const { applied, order, failure, isOwed, health } = row;
  if (hash === undefined || applied === undefined || failure !== undefined || isOwed) return false;
  if (applied.hash !== hash || applied.hash === UNSURE_HASH) return false;
  const isOrdered = order !== undefined && order.state !== 'queued' && order.hash !== hash;
  return !isOrdered && health === 'Available';
}

export interface PlanScene {
  readonly spec: RolloutSpec;
  readonly membership: Pick<Membership, 'delta'>;
  readonly targets: ReadonlyMap<TargetId, PlacementView>;
  readonly upToDate: ReadonlySet<TargetId>;
  readonly rollouts: RolloutRegistry;
}

/** Throws whatever the strategy throws: then nothing is delivered or removed. */
export function planOf({ spec, membership, targets, upToDate, rollouts }: PlanScene): Plan {
  const strategy = rollouts.get(spec.type);
  if (strategy === undefined) throw new RangeError(`unknown rollout type ${spec.type}`);
  return strategy.plan(spec, { delta: membership.delta, views: targets, upToDate });
}

export function hasWork({ steps }: Plan): boolean {
  return steps.some(({ deliver, remove }) => deliver.length + remove.length > 0);
}

/** The state of each target of a plan. A target that no longer exists counts as offline. */
export function factsOf(rows: Iterable<DeploymentTarget>): readonly MemberFacts[] {
  return [...rows].map((row) => ({
    id: row.target,
    isOnline: row.isOnline,
    health: row.health,
    healthRevision: row.healthRevision,
    hasContent: hasContent(row),
  }));
}

/**
 * The rollout spec of an unpaced rollback: all targets at once, whatever the budget says about unavailable or failed
 * targets. Progress deadlines and the offline policy stay as requested.
 */
export function unpaced(spec: RolloutSpec): RolloutSpec {
  const { progressDeadline, offlinePolicy, offlineDeadline } = spec;
  return {
    type: 'immediate',
    maxFailures: '100%',
    ...(progressDeadline === undefined ? {} : { progressDeadline }),
    ...(offlinePolicy === undefined ? {} : { offlinePolicy }),
    ...(offlineDeadline === undefined ? {} : { offlineDeadline }),
  };
}

export function newRow(
  { uid }: Pick<Deployment, 'uid'>,
  { id, name, type, isOnline }: PlannedTarget,
  now: number,
): DeploymentTarget {
  return {
    deployment: uid,
    target: id,
    name,
    type,
    isPlaced: true,
    isOnline,
    applied: undefined,
    order: undefined,
    failure: undefined,
    health: 'Unknown',
    healthRevision: 0,
    healthMessage: '',
    isOwed: false,
    drift: [],
    instance: undefined,
    updateTime: now,
  };
}

function isLeaving(row: DeploymentTarget, targets: MembershipScene['targets']): boolean {
  return !row.isPlaced && targets.has(row.target) && hasContent(row);
}

interface Members {
  readonly placed: ReadonlySet<TargetId>;
  readonly leaving: ReadonlySet<TargetId>;
}

function deltaFor({ deployment, requested, resolution }: MembershipScene, { placed, leaving }: Members): Delta {
  if (deployment.deletion !== undefined) return deltaOfDeletion(placed);
  const maxRemoval = deployment.spec.rollout['maxRemoval'] as Share | undefined;
  const held = deployment.status.placement.held.map(({ id }) => id);
  return deltaOf(placed, resolution, {
    causes: requested.causes,
    leaving,
    confirmed: requested.confirmed === 'all' ? new Set(held) : requested.confirmed,
    ...(maxRemoval === undefined ? {} : { maxRemoval }),
  });
}

function placementOf({ deployment, resolution, targets }: MembershipScene, { held, waiting }: Delta): PlacementStatus {
  const { excluded, retained, missing } = deployment.deletion === undefined ? resolution : NOBODY;
  return {
    kind: 'sure',
    excluded,
    retained,
    missing,
    held,
    ...(waiting.length === 0
      ? {}
      : { waiting: waiting.map((it) => ({ ...it, name: targets.get(it.id)?.name ?? it.id })) }),
  };
}

const NOBODY = { excluded: [], retained: [], missing: [] } as const;

/** A target that left and is placed again keeps the content it has. */
function placedRow(row: DeploymentTarget, target: PlannedTarget | undefined, now: number): DeploymentTarget {
  if (row.isPlaced && (target === undefined || (target.name === row.name && target.type === row.type))) return row;
  const its = target === undefined ? {} : { name: target.name, type: target.type };
  const back = row.isPlaced ? row : { ...withoutOrder(row, now), failure: undefined, isOwed: false };
  return { ...back, ...its, isPlaced: true, updateTime: now };
}

function leavingRow(row: DeploymentTarget, now: number): DeploymentTarget {
  return row.isPlaced ? { ...row, isPlaced: false, updateTime: now } : row;
}

/** The hash of the desired content per target, as far as it is known; a single one if it is the same for all. */
export type Hashes = ReadonlyMap<TargetId, string> | string;

/** Targets that should get the content once more are treated as if their content were uncertain. */
export function sentAgain(
  rows: ReadonlyMap<TargetId, DeploymentTarget>,
  { again }: RequestedChange,
  now: number,
): ReadonlyMap<TargetId, DeploymentTarget> {
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
    requested,
    hashes,
    isUnfinished,
  }: { readonly requested: RequestedChange; readonly hashes: Hashes; readonly isUnfinished: boolean },
): ReadonlySet<TargetId> {
  const upToDate = new Set<TargetId>();
  for (const row of rows.values()) {
    const hash = typeof hashes === 'string' ? hashes : hashes.get(row.target);
    const isLeft = row.isPlaced && !isCompared(row, { requested, isUnfinished });
    if (isLeft || isUpToDate(row, hash)) upToDate.add(row.target);
  }
  return upToDate;
}
