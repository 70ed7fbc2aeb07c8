import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizeConditions } from './condition-summary.ts';
import type { Condition, ConditionStatus } from './conditions.ts';

function condition(type: string, status: ConditionStatus, observedGeneration = 3): Condition {
  const lastTransitionTime = '2030-01-01T00:00:00Z';
  return { type, status, observedGeneration, lastTransitionTime, reason: `${type}${status}`, message: `is ${status}` };
}

const of = ['Applied', 'Healthy', 'Degraded'];
const options = { of, goodWhenFalse: ['Degraded'], generation: 3 };

for (const { why, conditions, want } of [
  {
    why: 'all good is True',
    conditions: [condition('Degraded', 'False'), condition('Healthy', 'True'), condition('Applied', 'True')],
    want: { status: 'True', reason: 'AsExpected', message: '' },
  },
  {
    why: 'one bad gives its reason; what does not count does not',
    conditions: [
      condition('Applied', 'True'),
      condition('Healthy', 'False'),
      condition('Degraded', 'False'),
      condition('Odd', 'False'),
    ],
    want: { status: 'False', reason: 'HealthyFalse', message: 'Healthy: is False' },
  },
  {
    why: 'bad goes before unknown, and several are named in the order asked for',
    conditions: [condition('Degraded', 'True'), condition('Healthy', 'Unknown'), condition('Applied', 'False')],
    want: { status: 'False', reason: 'MultipleIssues', message: 'Applied: is False; Degraded: is True' },
  },
  {
    why: 'one that is missing is not known',
    conditions: [condition('Applied', 'True'), condition('Healthy', 'True')],
    want: { status: 'Unknown', reason: 'NotReported', message: 'Degraded: not reported yet' },
  },
  {
    why: 'what was said of an earlier generation is not known of this one',
    conditions: [condition('Applied', 'True', 2), condition('Healthy', 'True'), condition('Degraded', 'Unknown')],
    want: {
      status: 'Unknown',
      reason: 'MultipleIssues',
      message: 'Applied: not reported yet for the present generation; Degraded: is Unknown',
    },
  },
] as const) {
  test(why, () => assert.deepEqual(summarizeConditions(conditions, options), want));
}

test('a summary of nothing is True', () => {
  assert.equal(summarizeConditions([condition('Applied', 'False')], { of: [] }).status, 'True');
});
