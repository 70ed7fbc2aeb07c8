import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type LabelSelector, matchesSelector } from './label-selector.ts';

const key = fc.constantFrom('a', 'b', 'constructor');
const value = fc.constantFrom('', 'x', 'y');
const labels = fc.dictionary(key, value);
const values = fc.array(value, { minLength: 1, maxLength: 3 });

function selects(operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', at: string, of: readonly string[] = []) {
  return (those: Readonly<Record<string, string>>): boolean =>
    matchesSelector({ matchExpressions: [{ key: at, operator, values: of }] }, those);
}

test('of two opposite expressions exactly one is true of any labels', () => {
  fc.assert(
    fc.property(labels, key, values, (those, at, of) => {
      assert.notEqual(selects('In', at, of)(those), selects('NotIn', at, of)(those));
      assert.notEqual(selects('Exists', at)(those), selects('DoesNotExist', at)(those));
    }),
  );
});

test('a label to match says the same as In with its one value', () => {
  fc.assert(
    fc.property(labels, key, value, (those, at, wanted) => {
      assert.equal(matchesSelector({ matchLabels: { [at]: wanted } }, those), selects('In', at, [wanted])(those));
    }),
  );
});

test('one more requirement never selects more', () => {
  const requirement = fc.record({
    key,
    operator: fc.constantFrom('In' as const, 'NotIn' as const, 'Exists' as const, 'DoesNotExist' as const),
    values,
  });
  const selector: fc.Arbitrary<LabelSelector> = fc.record({
    matchLabels: labels,
    matchExpressions: fc.array(requirement, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(labels, selector, requirement, (those, selected, more) => {
      const narrower = { ...selected, matchExpressions: [...(selected.matchExpressions ?? []), more] };
      assert.ok(!matchesSelector(narrower, those) || matchesSelector(selected, those));
    }),
  );
});
