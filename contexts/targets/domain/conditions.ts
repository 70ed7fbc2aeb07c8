import type { FieldFault } from '#kit/std';

const CONDITION_STATUSES = ['True', 'False', 'Unknown'] as const;
export type ConditionStatus = (typeof CONDITION_STATUSES)[number];

/** A condition, as in Kubernetes. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** One word for machines; `message` is for people. */
  readonly reason: string;
  readonly message: string;
  /** When the status last changed. */
  readonly lastTransitionTime: number;
  /** The generation of the target that was observed. */
  readonly observedGeneration: number;
}

/** As reported by an observer. The transition time is computed here. */
export type ObservedCondition = Omit<Condition, 'lastTransitionTime'>;

const MAX_CONDITIONS = 32;
const MAX_MESSAGE_LENGTH = 1_024;
const WORD = /^[A-Za-z][A-Za-z0-9]{0,62}$/;

/** One per type, ordered by type. Conditions that were not observed stay unchanged. */
export function withConditions(
  conditions: readonly Condition[],
  observed: readonly ObservedCondition[],
  now: number,
): readonly Condition[] {
  const byType = new Map(conditions.map((condition) => [condition.type, condition]));
  for (const each of observed) {
    const before = byType.get(each.type);
    const lastTransitionTime = before?.status === each.status ? before.lastTransitionTime : now;
    byType.set(each.type, { ...each, lastTransitionTime });
  }
  return [...byType.values()].sort((a, b) => (a.type < b.type ? -1 : 1));
}

export function sameConditions(a: readonly Condition[], b: readonly Condition[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => {
      const { type, status, reason, message, observedGeneration } = b[index] ?? one;
      const same = one.type === type && one.status === status && one.reason === reason;
      return same && one.message === message && one.observedGeneration === observedGeneration;
    })
  );
}

export function conditionFaults(conditions: readonly Condition[]): FieldFault[] {
  if (conditions.length > MAX_CONDITIONS) {
    return [{ path: '/conditions', message: `has more than ${MAX_CONDITIONS} conditions` }];
  }
  return conditions.flatMap((condition, index) => {
    const fault = faultOf(condition);
    return fault === undefined ? [] : [{ path: `/conditions/${index}/${fault.field}`, message: fault.message }];
  });
}

function faultOf({ type, status, reason, message, observedGeneration }: Condition) {
  const wordRule = 'must be one word of letters and digits';
  if (!WORD.test(type)) return { field: 'type', message: wordRule };
  if (!CONDITION_STATUSES.includes(status)) {
    return { field: 'status', message: `must be one of ${CONDITION_STATUSES.join(', ')}` };
  }
  if (!WORD.test(reason)) return { field: 'reason', message: wordRule };
  if (message.length > MAX_MESSAGE_LENGTH || /\0/.test(message) || !message.isWellFormed()) {
    return { field: 'message', message: `must be Unicode text of at most ${MAX_MESSAGE_LENGTH} characters` };
  }
  if (!(observedGeneration >= 0)) return { field: 'observedGeneration', message: 'must not be negative' };
  return undefined;
}
