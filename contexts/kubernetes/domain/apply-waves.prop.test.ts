import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { APPLY_WAVES, applyWaves, deleteWaves } from './apply-waves.ts';
import { keyText, type ObjectKey } from './kube-object.ts';

const KINDS: readonly (readonly [apiVersion: string, kind: string, wave: string])[] = [
  ['v1', 'Namespace', 'namespaces'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'definitions'],
  ['v1', 'ServiceAccount', 'foundations'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'foundations'],
  ['v1', 'Secret', 'foundations'],
  ['apps/v1', 'Deployment', 'workloads'],
  ['v1', 'Service', 'workloads'],
  ['example.io/v1', 'Namespace', 'workloads'],
  ['snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'workloads'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'admission'],
  ['apiregistration.k8s.io/v1', 'APIService', 'admission'],
];

const objects = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...KINDS), fc.integer({ min: 0, max: 3 })), {
    selector: ([[apiVersion, kind], number]) => `${apiVersion}/${kind}/${number}`,
  })
  .map((all) => all.map(([[apiVersion, kind], number]) => ({ key: { apiVersion, kind, name: `o${number}` } })));

function texts(waves: readonly (readonly { readonly key: ObjectKey }[])[]): string[][] {
  return waves.map((wave) => wave.map(({ key }) => keyText(key)));
}

describe('waves', () => {
  for (const [apiVersion, kind, wave] of KINDS) {
    it(`have ${apiVersion}/${kind} among ${wave}`, () => {
      const [found, ...more] = applyWaves([{ key: { apiVersion, kind, name: 'a' } }]);
      assert.deepEqual([found?.name, found?.waitsUntilEstablished, more], [wave, wave === 'definitions', []]);
    });
  }

  it('have every object once, in the order of waves, whatever order they came in', () => {
    fc.assert(
      fc.property(objects, (all) => {
        const waves = applyWaves(all);
        const places = waves.map(({ name }) => APPLY_WAVES.indexOf(name));
        assert.deepEqual(
          places,
          places.toSorted((one, two) => one - two),
        );
        assert.ok(waves.every((wave) => wave.objects.length > 0));
        assert.equal(new Set(waves.flatMap((wave) => wave.objects)).size, all.length);
        assert.deepEqual(applyWaves(all.toReversed()), waves);
      }),
    );
  });

  it('delete every object once, never a namespace or a definition before what may depend on it', () => {
    fc.assert(
      fc.property(objects, (all) => {
        const waves = deleteWaves(all);
        assert.equal(new Set(waves.flat()).size, all.length);
        assert.deepEqual(deleteWaves(all.toReversed()), waves);
        const applied = applyWaves(all).map((wave) => wave.objects);
        const place = (object: object) => applied.findIndex((wave) => wave.includes(object as never));
        for (const [index, wave] of waves.entries()) {
          for (const later of waves.slice(index + 1).flat()) {
            for (const object of wave) {
              const isAggregation = [object, later].some(({ key }) => key.kind === 'APIService');
              assert.ok(isAggregation || place(object) >= place(later), `${keyText(object.key)} ${keyText(later.key)}`);
            }
          }
        }
      }),
    );
  });

  it('delete webhooks before what they would refuse, and custom objects before their controllers', () => {
    const all = [
      { key: { apiVersion: 'v1', kind: 'Namespace', name: 'a' } },
      { key: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'controller' } },
      { key: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'gadgets.a.io' } },
      { key: { apiVersion: 'a.io/v1', kind: 'Gadget', name: 'g' } },
      { key: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', name: 'r' } },
      { key: { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', name: 'w' } },
      { key: { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: 'v1.b.io' } },
    ];
    assert.deepEqual(texts(deleteWaves(all)), [
      ['admissionregistration.k8s.io/v1/MutatingWebhookConfiguration/w'],
      ['a.io/v1/Gadget/g'],
      ['apiregistration.k8s.io/v1/APIService/v1.b.io', 'apps/v1/Deployment/controller'],
      ['rbac.authorization.k8s.io/v1/Role/r'],
      ['apiextensions.k8s.io/v1/CustomResourceDefinition/gadgets.a.io'],
      ['v1/Namespace/a'],
    ]);
  });
});
