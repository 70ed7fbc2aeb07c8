import { kubeTime } from './kube-time.ts';
import { ObjectError } from './object-error.ts';

export const CONDITION_STATUSES = ['True', 'False', 'Unknown'] as const;
export type ConditionStatus = (typeof CONDITION_STATUSES)[number];

export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** The generation of the object that this was said of. */
  readonly observedGeneration?: number;
  /** When `status` last became what it is. */
  readonly lastTransitionTime: string;
  /** For machines: one word in CamelCase. */
  readonly reason: string;
  /** For people. The same problem has the same text, or every look at it is a write. */
  readonly message: string;
}

export interface ConditionChange {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** What the API server takes in each; more, and it refuses the whole status. */
const REASON = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASON_CHARS = 1024;
const MESSAGE_CHARS = 32_768;

/**
 * The conditions with this one in its place. Its time changes only when its status does; a change without a generation
 * takes away the one that was there, since it says nothing about it.
 *
 * Sorted by type, so that the order in which things were found out does not show. When nothing changed this is the very
 * list that was given, in whatever order: a caller that compares by identity writes nothing.
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

/** The very list that was given when there is no such condition. */
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  if (getCondition(conditions, type) === undefined) return conditions;
  return conditions.filter((condition) => condition.type !== type);
}

/** Of a condition that nobody has set nothing is known. */
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
    throw new ObjectError('INVALID_CONDITION', `set condition ${type}: "${reason}" is no reason, which is one word`);
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

/** Counted in characters, as the API server does. */
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
