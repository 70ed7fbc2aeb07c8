import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { announced, type InventoryItem, idOf, sameInventory, settled, toPrune } from './inventory.ts';

const item: fc.Arbitrary<InventoryItem> = fc.record({
  apiVersion: fc.constantFrom('v1', 'apps/v1'),
  kind: fc.constantFrom('A', 'B'),
  name: fc.constantFrom('x', 'y', 'z'),
});
const items = fc.uniqueArray(item, { selector: idOf });
const made = fc
  .array(fc.tuple(item, fc.constantFrom('u1', 'u2')))
  .map((all) => new Map(all.map(([each, uid]) => [idOf(each), uid])));

describe('an inventory', () => {
  it('prunes nothing that is wanted, and nothing that we are not known to have made', () => {
    fc.assert(
      fc.property(items, items, made, (first, second, uids) => {
        const inventory = settled(announced({ items: [] }, first), first, uids);
        for (const each of toPrune(inventory, second)) {
          assert.ok(!second.some((wanted) => idOf(wanted) === idOf(each)));
          assert.equal(each.uid, uids.get(idOf(each)));
          assert.notEqual(each.uid, undefined);
        }
      }),
    );
  });

  it('prunes all that we made and that is no longer wanted', () => {
    fc.assert(
      fc.property(items, items, (first, second) => {
        const uids = new Map(first.map((each) => [idOf(each), 'u']));
        const inventory = settled({ items: [] }, first, uids);
        const left = first.filter((each) => !second.some((wanted) => idOf(wanted) === idOf(each)));
        assert.deepEqual(new Set(toPrune(inventory, second).map(idOf)), new Set(left.map(idOf)));
      }),
    );
  });

  it('knows beforehand of everything that may be made, and forgets nothing for it', () => {
    fc.assert(
      fc.property(items, items, made, (first, second, uids) => {
        const before = settled({ items: [] }, first, uids);
        const next = announced(before, second);
        for (const each of [...first, ...second]) assert.ok(next.items.some((known) => idOf(known) === idOf(each)));
        assert.ok(before.items.every((each) => next.items.includes(each)));
        assert.ok(sameInventory(announced(next, second), next));
      }),
    );
  });

  it('keeps who made what, over versions of a group', () => {
    const before = settled(
      { items: [] },
      [{ apiVersion: 'apps/v1beta1', kind: 'A', name: 'x' }],
      new Map([['apps/A//x', 'u']]),
    );
    const after = settled(before, [{ apiVersion: 'apps/v1', kind: 'A', name: 'x' }], new Map());
    assert.deepEqual(after.items, [{ apiVersion: 'apps/v1', kind: 'A', name: 'x', uid: 'u' }]);
  });
});
