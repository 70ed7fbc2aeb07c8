import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Inventory,
  type InventoryEntry,
  joinInventory,
  MAX_CHUNK_BYTES,
  pruneSet,
  splitInventory,
} from './inventory.ts';
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
const inventory: fc.Arbitrary<Inventory> = fc.record(
  {
    deployment: fc.constant('d-1'),
    generation: fc.integer({ min: 1, max: 4 }),
    seen: fc.constantFrom({ revision: 3, hash: 'h' }, { revision: 4 }),
    entries: fc.uniqueArray(entry, { selector: (each) => identityOf(each.key), maxLength: 12 }),
  },
  { noNullPrototype: true },
);
const size = fc.integer({ min: 400, max: 1_500 });

describe('an inventory', () => {
  it('is the same once it was split and joined, in whatever order its chunks come', () => {
    fc.assert(
      fc.property(inventory, size, (its, max) => {
        const chunks = splitInventory(its, max);
        assert.deepEqual(joinInventory(chunks.toReversed()), { kind: 'inventory', inventory: its, leftovers: [] });
      }),
    );
  });

  it('has no chunk above the limit', () => {
    fc.assert(
      fc.property(inventory, size, (its, max) => {
        for (const { payload } of splitInventory(its, max)) assert.ok(Buffer.byteLength(payload) <= max);
      }),
    );
    const entries = Array.from({ length: 20_000 }, (_, index) => ({
      key: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n'.repeat(63), name: `${index}${'ü'.repeat(60)}` },
      origin: 'created' as const,
      sent: 'sha256:1',
    }));
    const chunks = splitInventory({ deployment: 'd-1', generation: 1, seen: { revision: 1 }, entries });
    assert.ok(chunks.length >= 5 && chunks.every(({ payload }) => Buffer.byteLength(payload) <= MAX_CHUNK_BYTES));
  });

  it('survives a write that ended anywhere: it is the old one or the new one, and never a mixture', () => {
    fc.assert(
      fc.property(inventory, inventory, fc.nat(), size, (old, next, cut, max) => {
        const before = splitInventory({ ...old, generation: 1 }, max);
        const after = splitInventory({ ...next, generation: 2 }, max);
        const written = after.slice(0, cut % (after.length + 1));
        const joined = joinInventory([...before, ...written]);
        const isDone = written.length === after.length;
        assert.deepEqual(joined, {
          kind: 'inventory',
          inventory: isDone ? { ...next, generation: 2 } : { ...old, generation: 1 },
          leftovers: isDone ? before : written,
        });
      }),
    );
  });

  it('is doubt, and not empty, when no generation is whole', () => {
    fc.assert(
      fc.property(inventory, fc.nat(), (its, gone) => {
        const chunks = splitInventory(its, 400);
        fc.pre(chunks.length > 1);
        assert.throws(() => joinInventory(chunks.toSpliced(gone % chunks.length, 1)), { code: 'INVENTORY_TORN' });
      }),
    );
    assert.deepEqual(joinInventory([]), { kind: 'none' });
  });

  it('is not put together from chunks of two writers at one generation', () => {
    const its = (name: string): Inventory => ({
      deployment: 'd-1',
      generation: 1,
      seen: { revision: 1 },
      entries: [1, 2, 3].map((number) => ({
        key: { apiVersion: 'v1', kind: 'ConfigMap', name: `${name}${number}` },
        origin: 'created',
        sent: 'x'.repeat(300),
      })),
    });
    const [one, two] = [splitInventory(its('a'), 400), splitInventory(its('b'), 400)];
    assert.throws(() => joinInventory([...one.slice(0, 1), ...two.slice(1)]), { code: 'INVENTORY_TORN' });
  });

  it('tells when a chunk is not what was written', () => {
    const [chunk] = splitInventory({ deployment: 'd-1', generation: 1, seen: { revision: 1 }, entries: [] });
    assert.ok(chunk);
    for (const payload of [chunk.payload.replace('1', '2'), '{', '7']) {
      assert.throws(() => joinInventory([{ ...chunk, payload }]), { code: 'INVENTORY_UNREADABLE' });
    }
  });
});

describe('what is pruned', () => {
  it('safety: is in the inventory and not wanted', () => {
    fc.assert(
      fc.property(inventory, fc.array(fc.record({ key })), fc.array(key), (its, wanted, unserved) => {
        const pruned = pruneSet({ inventory: its, wanted, unserved });
        const identities = new Set(wanted.map((each) => identityOf(each.key)));
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
    const its: Inventory = { deployment: 'd-1', generation: 1, seen: { revision: 1 }, entries };
    const moved = { key: { apiVersion: 'a.io/v2', kind: 'Gadget', name: 'g' } };
    assert.deepEqual(pruneSet({ inventory: its, wanted: [moved], unserved: [] }), []);
    assert.deepEqual(
      pruneSet({ inventory: its, wanted: [], unserved: [{ apiVersion: 'a.io/v2', kind: 'Gadget' }] }),
      [],
    );
    assert.deepEqual(pruneSet({ inventory: its, wanted: [], unserved: [] }), entries);
  });
});
