import { type Condition, type ConditionStatus, getCondition } from './conditions.ts';

export interface SummaryOptions {
  /** The conditions that count. A missing one is Unknown. */
  readonly of: readonly string[];
  /** Those among them that are good when False, such as `Degraded`. */
  readonly goodWhenFalse?: readonly string[];
  /** Conditions of an earlier generation of the object count as Unknown. */
  readonly generation?: number;
}

export interface ConditionSummary {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/** The reason of a summary that is True. */
const AS_EXPECTED = 'AsExpected';
const MULTIPLE_ISSUES = 'MultipleIssues';

interface Part {
  readonly type: string;
  /** Normalized, as if every condition were good when True. */
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/**
 * Summarizes several conditions: False if one is bad, else Unknown if one is unknown, else True. It takes the reason of
 * a single issue, and names all issues in the order of `of`.
 */
export function summarizeConditions(conditions: readonly Condition[], options: SummaryOptions): ConditionSummary {
  const parts = options.of.map((type) => partOf(conditions, type, options));
  for (const status of ['False', 'Unknown'] as const) {
    const issues = parts.filter((part) => part.status === status);
    const [first, ...more] = issues;
    if (first === undefined) continue;
    const reason = more.length === 0 ? first.reason : MULTIPLE_ISSUES;
    return { status, reason, message: issues.map(({ type, message }) => `${type}: ${message}`).join('; ') };
  }
  return { status: 'True', reason: AS_EXPECTED, message: '' };
}

function partOf(conditions: readonly Condition[], type: string, options: SummaryOptions): Part {
  const condition = getCondition(conditions, type);
  if (condition === undefined) return { type, status: 'Unknown', reason: 'NotReported', message: 'not reported yet' };
  if (isOutdated(condition, options.generation)) {
    return { type, status: 'Unknown', reason: 'Outdated', message: 'not reported yet for the present generation' };
  }
  const { reason, message } = condition;
  const isGoodWhenFalse = options.goodWhenFalse?.includes(type) ?? false;
  return { type, status: isGoodWhenFalse ? turned(condition.status) : condition.status, reason, message };
}

/** A condition without a generation never becomes outdated. */
function isOutdated({ observedGeneration }: Condition, generation: number | undefined): boolean {
  return observedGeneration !== undefined && generation !== undefined && observedGeneration < generation;
}

function turned(status: ConditionStatus): ConditionStatus {
  if (status === 'Unknown') return status;
  return status === 'True' ? 'False' : 'True';
}
