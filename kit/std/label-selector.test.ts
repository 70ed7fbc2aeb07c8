import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type LabelSelector, matchesSelector, SELECTOR_OPERATORS, selectorFaults } from './label-selector.ts';

const one = (key: string, operator: string, values?: readonly string[]): LabelSelector =>
  ({ matchExpressions: [{ key, operator, ...(values && { values }) }] }) as LabelSelector;

describe('a label selector', () => {
  const labels = { zone: 'a', tier: '' };
  for (const { why, selector, wanted } of [
    { why: 'an empty one selects everything', selector: {}, wanted: true },
    { why: 'every label has to be there', selector: { matchLabels: { zone: 'a', tier: '' } }, wanted: true },
    { why: 'another value is another label', selector: { matchLabels: { zone: 'b' } }, wanted: false },
    { why: 'a label that is missing is not an empty one', selector: { matchLabels: { none: '' } }, wanted: false },
    { why: 'In takes any of its values', selector: one('zone', 'In', ['b', 'a']), wanted: true },
    { why: 'In needs the label', selector: one('none', 'In', ['']), wanted: false },
    { why: 'NotIn takes other values', selector: one('zone', 'NotIn', ['b']), wanted: true },
    { why: 'NotIn refuses its own', selector: one('zone', 'NotIn', ['b', 'a']), wanted: false },
    { why: 'NotIn takes what has no such label', selector: one('none', 'NotIn', ['a']), wanted: true },
    { why: 'Exists takes an empty value', selector: one('tier', 'Exists'), wanted: true },
    { why: 'Exists needs the label', selector: one('none', 'Exists'), wanted: false },
    { why: 'DoesNotExist takes what has none', selector: one('none', 'DoesNotExist'), wanted: true },
    { why: 'DoesNotExist refuses an empty value too', selector: one('tier', 'DoesNotExist'), wanted: false },
    { why: 'what every object inherits is no label', selector: one('constructor', 'Exists'), wanted: false },
    { why: 'nor is a prototype', selector: one('__proto__', 'Exists'), wanted: false },
    {
      why: 'labels and expressions all have to be true',
      selector: { matchLabels: { zone: 'a' }, ...one('tier', 'DoesNotExist') },
      wanted: false,
    },
  ]) {
    it(why, () => assert.equal(matchesSelector(selector, labels), wanted));
  }

  for (const { why, selector, paths } of [
    { why: 'none', selector: {}, paths: [] },
    { why: 'none with each operator well used', selector: one('example.com/zone', 'In', ['a', '']), paths: [] },
    { why: 'a key that is none', selector: one('a b', 'Exists'), paths: ['/s/matchExpressions/0/key'] },
    { why: 'an operator that is none', selector: one('a', 'Gt', ['1']), paths: ['/s/matchExpressions/0/operator'] },
    { why: 'In of nothing', selector: one('a', 'In'), paths: ['/s/matchExpressions/0/values'] },
    { why: 'NotIn of nothing', selector: one('a', 'NotIn', []), paths: ['/s/matchExpressions/0/values'] },
    { why: 'Exists with values', selector: one('a', 'Exists', ['b']), paths: ['/s/matchExpressions/0/values'] },
    { why: 'a value that is none', selector: one('a', 'In', ['b', 'c d']), paths: ['/s/matchExpressions/0/values/1'] },
    {
      why: 'every one at once',
      selector: { matchLabels: { 'x/': 'y' }, ...one('a b', 'In', ['c d']) },
      paths: ['/s/matchLabels/x~1', '/s/matchExpressions/0/key', '/s/matchExpressions/0/values/0'],
    },
  ]) {
    it(`has these faults: ${why}`, () =>
      assert.deepEqual(
        selectorFaults(selector, '/s').map(({ path }) => path),
        paths,
      ));
  }

  it('with an operator that nobody checked throws rather than selecting', () => {
    assert.throws(() => matchesSelector(one('zone', 'Near'), labels), TypeError);
    assert.deepEqual(SELECTOR_OPERATORS, ['In', 'NotIn', 'Exists', 'DoesNotExist']);
  });
});
