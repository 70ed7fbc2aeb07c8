import { kubeTime } from './kube-time.ts';
import { ObjectError } from './object-error.ts';

export const CONDITION_STATUSES = ['True', 'False', 'Unknown'] as const;
export type ConditionStatus = (typeof CONDITION_STATUSES)[number];

export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** The generation of the object that the condition describes. */
  readonly observedGeneration?: number;
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  /** For machines: one word in CamelCase. */
  readonly reason: string;
  /** For people. The same problem must have the same text; otherwise every reconcile causes a write. */
  readonly message: string;
}

export interface ConditionChange {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** The limits of the API server; beyond them it refuses the whole status. */
const REASON = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASON_CHARS = 1024;
const MESSAGE_CHARS = 32_768;

/**
 * Sets a condition. Its time changes only with its status. A change without a generation removes the stored one, since
 * it no longer applies.
 *
 * Conditions are sorted by type, so that the order does not depend on when they were set. If nothing changes, the same
 * list is returned, in its order: a caller that compares by identity then writes nothing.
 */
export function setCondition(
  conditions: readonly Condition[],
  change: ConditionChange,
  now: number,
): readonly Condition[] {
  const before = getCondition(conditions, change.type);
  const after = changed(before, change, now);
  if (before && isSame(before, after)) return conditions;
  return [...removeCondition(conditions, change.type), after].toSorted(byType);
}

export function getCondition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** Returns the same list if there is no such condition. */
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  if (getCondition(conditions, type) === undefined) return conditions;
  return conditions.filter((condition) => condition.type !== type);
}

/** A missing condition is Unknown. */
export function conditionStatus(conditions: readonly Condition[], type: string): ConditionStatus {
  return getCondition(conditions, type)?.status ?? 'Unknown';
}

export function isConditionTrue(conditions: readonly Condition[], type: string): boolean {
  return conditionStatus(conditions, type) === 'True';
}

export function isConditionFalse(conditions: readonly Condition[], type: string): boolean {
  return conditionStatus(conditions, type) === 'False';
}

function changed(before: Condition | undefined, change: ConditionChange, now: number): Condition {
  const { type, status, reason, message = '', observedGeneration } = change;
  if (!REASON.test(reason) || reason.length > REASON_CHARS) {
    throw new ObjectError(
      'INVALID_CONDITION',
      `set condition ${type}: "${reason}" is not a valid reason, which is one word`,
    );
  }
  return {
    type,
    status,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : kubeTime(now),
    reason,
    message: shortened(message),
  };
}

/** Counted in characters, like the API server. */
function shortened(message: string): string {
  if (message.length <= MESSAGE_CHARS) return message;
  const characters = [...message];
  return characters.length <= MESSAGE_CHARS ? message : `${characters.slice(0, MESSAGE_CHARS - 3).join('')}...`;
}

function isSame(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}

function byType(a: Condition, b: Condition): number {
  if (a.type === b.type) return 0;
  return a.type < b.type ? -1 : 1;
}
