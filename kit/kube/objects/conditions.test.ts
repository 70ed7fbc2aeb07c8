import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Condition,
  type ConditionChange,
  getCondition,
  isConditionFalse,
  isConditionTrue,
  setCondition,
} from './conditions.ts';

const THEN = '2030-01-01T00:00:00Z';
const NOW = '2030-01-01T01:00:00Z';
const now = Date.parse(NOW) + 999;

const ready: Condition = {
  type: 'Ready',
  status: 'True',
  observedGeneration: 1,
  lastTransitionTime: THEN,
  reason: 'Up',
  message: 'all is well',
};
const same: ConditionChange = {
  type: 'Ready',
  status: 'True',
  observedGeneration: 1,
  reason: 'Up',
  message: 'all is well',
};

for (const { why, change, want } of [
  {
    why: 'a new status is a transition',
    change: { ...same, status: 'False' },
    want: { ...ready, status: 'False', lastTransitionTime: NOW },
  },
  { why: 'a new reason is none', change: { ...same, reason: 'Started' }, want: { ...ready, reason: 'Started' } },
  { why: 'a new message is none', change: { ...same, message: 'still' }, want: { ...ready, message: 'still' } },
  {
    why: 'a new generation is none',
    change: { ...same, observedGeneration: 2 },
    want: { ...ready, observedGeneration: 2 },
  },
  {
    why: 'no message is an empty one',
    change: { type: 'Ready', status: 'True', reason: 'Up', observedGeneration: 1 },
    want: { ...ready, message: '' },
  },
] as const) {
  test(why, () => assert.deepEqual(setCondition([ready], change, now), [want]));
}

test('a change without a generation takes away the one that was there', () => {
  const { observedGeneration: _, ...without } = same;
  const [condition] = setCondition([ready], without, now);
  assert.ok(condition && !('observedGeneration' in condition));
});

test('no change is the very list, also one in an order that is not ours', () => {
  const list = [ready, { ...ready, type: 'Available' }];
  assert.equal(setCondition(list, same, now), list);
});

test('a first condition transitions now, and finds its place by its type', () => {
  const list = setCondition([ready], { ...same, type: 'Available' }, now);
  assert.deepEqual(
    list.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
    [
      ['Available', NOW],
      ['Ready', THEN],
    ],
  );
});

test('a list that holds a type twice holds it once afterwards', () => {
  const list = setCondition([ready, { ...ready, status: 'False' }], { ...same, reason: 'Other' }, now);
  assert.deepEqual(list, [{ ...ready, reason: 'Other' }]);
});

for (const reason of ['', 'two words', '1st', 'Trailing:', 'x'.repeat(1025)]) {
  test(`"${reason.slice(0, 20)}" is no reason`, () =>
    assert.throws(() => setCondition([], { ...same, reason }, now), { code: 'INVALID_CONDITION' }));
}

test('a message that the server would refuse for its length is cut, by characters and not by halves of them', () => {
  const [long] = setCondition([], { ...same, message: '😀'.repeat(40_000) }, now);
  assert.equal([...(long?.message ?? '')].length, 32_768);
  assert.ok(long?.message.endsWith('😀...'));
  const [fits] = setCondition([], { ...same, message: '😀'.repeat(32_768) }, now);
  assert.equal(fits?.message, '😀'.repeat(32_768));
});

test('of a condition that is not there nothing is known', () => {
  assert.equal(getCondition([ready], 'Other'), undefined);
  assert.equal(isConditionTrue([ready], 'Other'), false);
  assert.equal(isConditionFalse([ready], 'Other'), false);
  assert.equal(isConditionTrue([ready], 'Ready'), true);
});
