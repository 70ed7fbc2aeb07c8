import type { Failure } from './failure.ts';
import { type ResourcesApplied, resourcesApplied } from './resources-applied.ts';
import type { Condition, LegacyCondition, SetStatus } from './set-status.ts';

/** Current findings about a set. Without a verdict the condition about its resources stays unchanged. */
export interface Findings {
  readonly generation: number;
  readonly isPaused: boolean;
  readonly verdict: Verdict;
}

export type Verdict =
  | { readonly kind: 'none' }
  /** The set selects no cluster: nothing was applied, and nothing failed. */
  | { readonly kind: 'no-clusters' }
  | { readonly kind: 'looked'; readonly failures: readonly Failure[] };

const PAUSED = 'Paused';
const APPLIED = 'ResourcesApplied';
const PAUSED_MESSAGE = 'ClusterResourceSet has the cluster.x-k8s.io/paused annotation';

/** Returns the same object if nothing changed. `now` is to the second, as Kubernetes writes it. */
export function nextStatus(before: SetStatus, findings: Findings, now: string): SetStatus {
  const paused = withCondition(before, pausedCondition(findings), now);
  const { verdict, generation } = findings;
  switch (verdict.kind) {
    case 'none':
      return paused;
    case 'no-clusters':
      return withoutClusters(before, paused, generation);
    case 'looked':
      return withVerdict(paused, { failures: verdict.failures, generation }, now);
    default:
      return verdict satisfies never;
  }
}

function withVerdict(
  before: SetStatus,
  { failures, generation }: { readonly failures: readonly Failure[]; readonly generation: number },
  now: string,
): SetStatus {
  const applied = resourcesApplied(failures);
  const next = withLegacy(
    withCondition(before, appliedCondition(applied, generation), now),
    legacyCondition(applied),
    now,
  );
  // A generation counts as observed once nothing of it has to be retried. A missing resource is waited for, not
  // retried.
  const isOver = failures.every(({ kind }) => kind === 'resource-missing');
  return isOver ? observed(next, generation) : next;
}

/**
 * DECISION: the generation is recorded only together with another change. Cluster API does the same, because it writes
 * the status only if it changed, and a set without clusters has nothing to observe.
 */
function withoutClusters(before: SetStatus, paused: SetStatus, generation: number): SetStatus {
  const next = withoutFailure(paused);
  return next === before || statusOf(before, PAUSED) !== statusOf(next, PAUSED) ? next : observed(next, generation);
}

function statusOf({ conditions }: SetStatus, type: string): string | undefined {
  return conditions.find((condition) => condition.type === type)?.status;
}

type Change<T extends { lastTransitionTime?: string }> = Omit<T, 'lastTransitionTime'>;

function pausedCondition({ isPaused, generation }: Findings): Change<Condition> {
  return {
    type: PAUSED,
    status: isPaused ? 'True' : 'False',
    observedGeneration: generation,
    reason: isPaused ? 'Paused' : 'NotPaused',
    message: isPaused ? PAUSED_MESSAGE : '',
  };
}

function appliedCondition(applied: ResourcesApplied, generation: number): Change<Condition> {
  const isApplied = applied.kind === 'applied';
  return {
    type: APPLIED,
    status: isApplied ? 'True' : 'False',
    observedGeneration: generation,
    reason: isApplied ? 'Applied' : applied.reason,
    message: isApplied ? '' : applied.message,
  };
}

function legacyCondition(applied: ResourcesApplied): Change<LegacyCondition> {
  if (applied.kind === 'applied') return { type: APPLIED, status: 'True' };
  const { legacyReason, severity, message } = applied;
  return { type: APPLIED, status: 'False', severity, reason: legacyReason, message };
}

function withCondition(before: SetStatus, change: Change<Condition>, now: string): SetStatus {
  const conditions = put(before.conditions, change, now);
  if (conditions === before.conditions) return before;
  return { ...before, conditions: conditions.toSorted((a, b) => conditionRank(a) - conditionRank(b) || byType(a, b)) };
}

function withLegacy(before: SetStatus, change: Change<LegacyCondition>, now: string): SetStatus {
  const legacyConditions = put(before.legacyConditions, change, now);
  if (legacyConditions === before.legacyConditions) return before;
  return { ...before, legacyConditions: legacyConditions.toSorted(byType) };
}

/** A failure in clusters that the set no longer selects is outdated. */
function withoutFailure(before: SetStatus): SetStatus {
  const isFailure = ({ type, status }: { readonly type: string; readonly status: string }): boolean =>
    type === APPLIED && status !== 'True';
  if (!before.conditions.some(isFailure) && !before.legacyConditions.some(isFailure)) return before;
  return {
    ...before,
    conditions: before.conditions.filter((condition) => !isFailure(condition)),
    legacyConditions: before.legacyConditions.filter((condition) => !isFailure(condition)),
  };
}

function observed(before: SetStatus, observedGeneration: number): SetStatus {
  return before.observedGeneration === observedGeneration ? before : { ...before, observedGeneration };
}

/**
 * Puts the condition in place, with the time of the last change of `status`. Returns the same list if nothing changed.
 */
function put<T extends { readonly type: string; readonly status: string; readonly lastTransitionTime?: string }>(
  conditions: readonly T[],
  change: Change<T>,
  now: string,
): readonly T[] {
  const { type, status } = change as { readonly type: string; readonly status: string };
  const before = conditions.find((condition) => condition.type === type);
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
  const after = { ...change, lastTransitionTime } as T;
  if (before !== undefined && saysTheSame(before, after)) return conditions;
  return [...conditions.filter((condition) => condition.type !== type), after];
}

function saysTheSame(a: object, b: object): boolean {
  const theirs = new Map(Object.entries(a));
  const ours = Object.entries(b);
  return ours.length === theirs.size && ours.every(([key, value]) => theirs.get(key) === value);
}

/** Cluster API's order: Available and Ready first, Deleting and Paused last. */
function conditionRank({ type }: Condition): number {
  if (type === 'Available' || type === 'Ready') return type === 'Available' ? 0 : 1;
  if (type === 'Deleting' || type === PAUSED) return type === 'Deleting' ? 3 : 4;
  return 2;
}

function byType(a: { readonly type: string }, b: { readonly type: string }): number {
  if (a.type === b.type) return 0;
  return a.type < b.type ? -1 : 1;
}
