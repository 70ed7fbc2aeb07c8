import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  CONDITION_STATUSES,
  type Condition,
  type ConditionChange,
  getCondition,
  removeCondition,
  setCondition,
} from './conditions.ts';

const TYPES = ['Ready', 'Available', 'Degraded'];
const change: fc.Arbitrary<ConditionChange> = fc.record(
  {
    type: fc.constantFrom(...TYPES),
    status: fc.constantFrom(...CONDITION_STATUSES),
    reason: fc.constantFrom('A', 'B'),
    message: fc.constantFrom('one', 'two'),
    observedGeneration: fc.nat(2),
  },
  { requiredKeys: ['type', 'status', 'reason'] },
);
const HOUR = 3_600_000;

/** Applied one after another, an hour apart. */
function applied(changes: readonly ConditionChange[]): readonly Condition[] {
  return changes.reduce<readonly Condition[]>(
    (conditions, next, index) => setCondition(conditions, next, index * HOUR),
    [],
  );
}

test('a time is that of the first of the run of changes with the present status', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      for (const condition of applied(changes)) {
        const own = changes
          .map(({ type, status }, index) => ({ type, status, index }))
          .filter(({ type }) => type === condition.type);
        const start = own.findLastIndex(({ status }) => status !== condition.status) + 1;
        assert.equal(Date.parse(condition.lastTransitionTime), (own[start]?.index ?? -1) * HOUR);
      }
    }),
  );
});

test('each type is there once, in order, and says what was said last', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const conditions = applied(changes);
      const types = conditions.map(({ type }) => type);
      assert.deepEqual(types, [...new Set(changes.map(({ type }) => type))].toSorted());
      for (const { lastTransitionTime: _, ...rest } of conditions) {
        const last = changes.findLast(({ type }) => type === rest.type);
        assert.deepEqual(rest, { message: '', ...last });
      }
    }),
  );
});

test('the same change again is no change, whenever it comes', () => {
  fc.assert(
    fc.property(fc.array(change), change, (changes, last) => {
      const conditions = setCondition(applied(changes), last, 0);
      assert.equal(setCondition(conditions, last, 1e12), conditions);
    }),
  );
});

test('what is removed is gone, and nothing else is', () => {
  fc.assert(
    fc.property(fc.array(change), fc.constantFrom(...TYPES, 'Other'), (changes, type) => {
      const before = applied(changes);
      const after = removeCondition(before, type);
      assert.equal(getCondition(after, type), undefined);
      assert.deepEqual(
        after,
        before.filter((condition) => condition.type !== type),
      );
      assert.equal(removeCondition(after, type), after);
    }),
  );
});
