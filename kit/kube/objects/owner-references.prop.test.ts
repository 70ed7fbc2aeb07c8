import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../client/kube-object.ts';
import { ObjectError } from './object-error.ts';
import { removeOwnerReference, setControllerReference, setOwnerReference } from './owner-references.ts';

/** Few names and several incarnations of each, so that owners meet rivals and their predecessors of the same name. */
const owner: fc.Arbitrary<KubeObject> = fc
  .record({ kind: fc.constantFrom('A', 'B'), name: fc.constantFrom('x', 'y'), life: fc.nat(1), version: fc.nat(1) })
  .map(({ kind, name, life, version }) => ({
    apiVersion: `example.io/v${version}`,
    kind,
    metadata: { name, uid: `${kind}-${name}-${life}` },
  }));
const step = fc.record({ act: fc.constantFrom('control', 'own', 'remove'), owner });
const start: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' } };

function apply(object: KubeObject, act: string, by: KubeObject): KubeObject {
  if (act === 'own') return setOwnerReference(object, by);
  if (act === 'remove') return removeOwnerReference(object, by);
  try {
    return setControllerReference(object, by);
  } catch (error) {
    if (error instanceof ObjectError && error.code === 'ALREADY_CONTROLLED') return object;
    throw error;
  }
}

test('however owners come and go, there is one controller at most and each owner once', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let object = start;
      for (const { act, owner: by } of steps) object = apply(object, act, by);
      const references = object.metadata.ownerReferences ?? [];
      assert.ok(references.filter(({ controller }) => controller).length <= 1);
      assert.equal(new Set(references.map(({ kind, name }) => `${kind}/${name}`)).size, references.length);
    }),
  );
});
