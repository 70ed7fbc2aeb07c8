import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ApplySetInventory } from './inventory.ts';
import { type InventoryEntry, pruneSet } from './inventory.ts';
import { identityOf } from './kube-object.ts';

const key = fc.record(
  {
    apiVersion: fc.constantFrom('v1', 'apps/v1', 'a.io/v1'),
    kind: fc.constantFrom('ConfigMap', 'Deployment', 'Gadget'),
    namespace: fc.constantFrom('shop', 'größe', 'x'.repeat(63)),
    name: fc.constantFrom('a', 'b', 'c', 'd\ne'),
  },
  { noNullPrototype: true, requiredKeys: ['apiVersion', 'kind', 'name'] },
);
const entry: fc.Arbitrary<InventoryEntry> = fc.record(
  {
    key,
    uid: fc.uuid(),
    origin: fc.constantFrom('created', 'adopted'),
    sent: fc.constantFrom('sha256:1', 'sha256:2'),
    held: fc.constantFrom('sha256:3'),
  },
  { noNullPrototype: true, requiredKeys: ['key', 'origin', 'sent'] },
);
const inventory: fc.Arbitrary<ApplySetInventory> = fc.record(
  {
    deployment: fc.constant('d-1'),
    seen: fc.constantFrom({ revision: 3, hash: 'h' }, { revision: 4 }),
    entries: fc.uniqueArray(entry, { selector: (each) => identityOf(each.key), maxLength: 12 }),
  },
  { noNullPrototype: true },
);
describe('what is pruned', () => {
  it('safety: is in the inventory and not desired', () => {
    fc.assert(
      fc.property(inventory, fc.array(fc.record({ key })), fc.array(key), (its, desired, unserved) => {
        const pruned = pruneSet({ entries: its.entries, desired, unserved });
        const identities = new Set(desired.map((each) => identityOf(each.key)));
        for (const each of pruned) {
          assert.ok(its.entries.includes(each));
          assert.ok(!identities.has(identityOf(each.key)));
          assert.ok(
            !unserved.some(({ apiVersion, kind }) => apiVersion === each.key.apiVersion && kind === each.key.kind),
          );
        }
        if (unserved.length > 0) return;
        assert.ok(its.entries.every((each) => pruned.includes(each) || identities.has(identityOf(each.key))));
      }),
    );
  });

  it('is not an object that only moved to another version', () => {
    const entries = [
      { key: { apiVersion: 'a.io/v1', kind: 'Gadget', name: 'g' }, origin: 'created' as const, sent: '' },
    ];
    const its: ApplySetInventory = { deployment: 'd-1', seen: { revision: 1 }, entries };
    const moved = { key: { apiVersion: 'a.io/v2', kind: 'Gadget', name: 'g' } };
    assert.deepEqual(pruneSet({ entries: its.entries, desired: [moved], unserved: [] }), []);
    assert.deepEqual(
      pruneSet({ entries: its.entries, desired: [], unserved: [{ apiVersion: 'a.io/v2', kind: 'Gadget' }] }),
      [],
    );
    assert.deepEqual(pruneSet({ entries: its.entries, desired: [], unserved: [] }), entries);
  });
});
