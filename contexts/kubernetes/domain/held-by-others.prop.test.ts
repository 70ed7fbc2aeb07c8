import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { otherHolder } from './held-by-others.ts';
import type { ApplySetInventory, InventoryEntry } from './inventory.ts';
import { DEPLOYMENT_LABEL, type KubeObject, keyOf, type ObjectKey } from './kube-object.ts';

const CRD = 'apiextensions.k8s.io/v1';
const keys: readonly ObjectKey[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' },
  { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'bank', name: 'a' },
  { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'a' },
  { apiVersion: 'v1', kind: 'Namespace', name: 'shop' },
  { apiVersion: CRD, kind: 'CustomResourceDefinition', name: 'gadgets.example.io' },
  { apiVersion: 'example.io/v1', kind: 'Gadget', namespace: 'shop', name: 'g' },
];

function live({ namespace, name, apiVersion, kind }: ObjectKey, its: object = {}, labels = {}): KubeObject {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), uid: 'u-1', labels };
  return { apiVersion, kind, metadata, ...its };
}

function entry(key: ObjectKey, uid: string | undefined = 'u-1'): InventoryEntry {
  return { key, uid, origin: 'created', sent: 's' };
}

function inventory(deployment: string, ...entries: InventoryEntry[]): ApplySetInventory {
  return { deployment, seen: { revision: 1 }, entries };
}

function holder(object: KubeObject, ...records: ApplySetInventory[]): string | undefined {
  return otherHolder({ key: keyOf(object) }, object, { records, corrupt: [] });
}

describe('an object about to be deleted', () => {
  const key = fc.constantFrom(...keys);
  const uid = fc.constantFrom('u-1', 'u-2', undefined);
  const its = fc.record({ key, uid }).map((made) => entry(made.key, made.uid));
  const records = fc.array(
    fc.record({ deployment: fc.constantFrom('d-1', 'd-2'), entries: fc.array(its, { maxLength: 4 }) }),
    { maxLength: 4 },
  );

  it('safety: is held whenever any other inventory has it, or was about to have it, whatever its label says', () => {
    fc.assert(
      fc.property(key, records, fc.constantFrom('d-1', 'd-2', 'd-3'), (of, all, label) => {
        const others = all.map(({ deployment, entries }) => inventory(deployment, ...entries));
        const object = live(of, {}, { [DEPLOYMENT_LABEL]: label });
        const isListed = others.some(({ entries }) =>
          entries.some((each) => each.key === of && (each.uid === undefined || each.uid === 'u-1')),
        );
        if (isListed) assert.notEqual(holder(object, ...others), undefined);
      }),
    );
  });

  it('is free where no other inventory has it', () => {
    const [map, elsewhere, workload] = keys.map((each) => live(each));
    assert.ok(map && elsewhere && workload);
    assert.equal(holder(map), undefined);
    assert.equal(holder(map, inventory('d-2', entry(keyOf(elsewhere)), entry(keyOf(workload)))), undefined);
    assert.equal(holder(map, inventory('d-2', entry(keyOf(map), 'u-0'))), undefined, 'of an earlier object');
  });

  it('is held in any version of its kind', () => {
    const object = live({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'a' });
    const older = { ...keyOf(object), apiVersion: 'apps/v1beta2' };
    assert.equal(holder(object, inventory('d-2', entry(older))), 'd-2');
  });

  it('is held by what would be deleted with it: objects in a namespace, objects of a definition', () => {
    const space = live({ apiVersion: 'v1', kind: 'Namespace', name: 'shop' });
    assert.equal(holder(space, inventory('d-2', entry(keys[0] as ObjectKey))), 'd-2');
    assert.equal(holder(space, inventory('d-2', entry(keys[1] as ObjectKey))), undefined);
    const name = { apiVersion: CRD, kind: 'CustomResourceDefinition', name: 'gadgets.example.io' };
    const gadget = inventory('d-2', entry(keys[5] as ObjectKey));
    assert.equal(holder(live(name, { spec: { names: { kind: 'Gadget' } } }), gadget), 'd-2');
    assert.equal(holder(live(name, { spec: { names: { kind: 'Widget' } } }), gadget), undefined);
    assert.equal(holder(live(name), gadget), 'd-2', 'the kind is not known');
  });

  it('is held by the deployment of its label, if the inventory of that one cannot be read', () => {
    const key = keys[0] as ObjectKey;
    const others = { records: [], corrupt: ['d-2'] };
    assert.equal(otherHolder({ key }, live(key, {}, { [DEPLOYMENT_LABEL]: 'd-2' }), others), 'd-2');
    assert.equal(otherHolder({ key }, live(key, {}, { [DEPLOYMENT_LABEL]: 'd-1' }), others), undefined);
  });
});
