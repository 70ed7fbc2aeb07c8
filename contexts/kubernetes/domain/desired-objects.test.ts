import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { desiredObjects, type Scope } from './desired-objects.ts';
import { keyText } from './kube-object.ts';

const SCOPES: Readonly<Record<string, Scope>> = {
  'v1/ConfigMap': 'namespaced',
  'v1/Namespace': 'cluster',
  'apps/v1/Deployment': 'namespaced',
  'apps/v1beta1/Deployment': 'namespaced',
  'rbac.authorization.k8s.io/v1/ClusterRole': 'cluster',
  'apiextensions.k8s.io/v1/CustomResourceDefinition': 'cluster',
};

function doc(apiVersion: string, kind: string, metadata: JsonObject, more: JsonObject = {}): Document {
  return { apiVersion, kind, metadata, ...more };
}

function desired(documents: readonly Document[], namespace?: string) {
  const scopeOf = (apiVersion: string, kind: string) => SCOPES[`${apiVersion}/${kind}`];
  return desiredObjects(documents, { deployment: 'd-1', namespace, scopeOf });
}

function keys(documents: readonly Document[], namespace?: string): string[] {
  const found = desired(documents, namespace);
  assert.equal(found.kind, 'desired', found.kind === 'fault' ? found.message : '');
  return found.kind === 'desired' ? found.objects.map(({ key }) => keyText(key)) : [];
}

describe('the objects that documents stand for', () => {
  it('are in the namespace that they name, else in that of the order, else in default', () => {
    const map = (namespace?: string) => doc('v1', 'ConfigMap', { name: 'a', ...(namespace && { namespace }) });
    assert.deepEqual(keys([map('own')], 'shop'), ['v1/ConfigMap/own/a']);
    assert.deepEqual(keys([map()], 'shop'), ['v1/ConfigMap/shop/a']);
    assert.deepEqual(keys([map()]), ['v1/ConfigMap/default/a']);
  });

  it('have no namespace where the kind has none, whatever a chart wrote', () => {
    const role = doc('rbac.authorization.k8s.io/v1', 'ClusterRole', { name: 'a', namespace: 'shop' });
    const found = desired([role], 'other');
    const [object] = found.kind === 'desired' ? found.objects : [];
    assert.equal(object?.key.namespace, undefined);
    assert.ok(!('namespace' in (object?.object.metadata ?? {})));
  });

  it('carry the tracking label on themselves and not in the template, and nothing that servers write', () => {
    const template = { metadata: { labels: { app: 'web' } } };
    const found = desired([
      doc(
        'apps/v1',
        'Deployment',
        { name: 'web', uid: 'x', resourceVersion: '7', managedFields: [], generation: 3, labels: { app: 'web' } },
        { spec: { template }, status: { replicas: 1 } },
      ),
    ]);
    assert.deepEqual(found.kind === 'desired' && found.objects[0]?.object, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default', labels: { app: 'web', 'fleetshift.io/deployment': 'd-1' } },
      spec: { template },
    });
  });

  it('come out of lists, too', () => {
    const items = [doc('v1', 'ConfigMap', { name: 'a' }), doc('v1', 'ConfigMap', { name: 'b' })];
    assert.deepEqual(keys([{ apiVersion: 'v1', kind: 'List', items }]), [
      'v1/ConfigMap/default/a',
      'v1/ConfigMap/default/b',
    ]);
  });

  it('may be of a kind that the very documents define', () => {
    const definition = doc(
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      { name: 'gadgets.a.io' },
      {
        spec: { group: 'a.io', scope: 'Cluster', names: { kind: 'Gadget' } },
      },
    );
    const found = desired([doc('a.io/v1', 'Gadget', { name: 'g' }), definition], 'shop');
    assert.deepEqual(found.kind === 'desired' && [found.objects[0]?.key.namespace, found.unserved], [undefined, []]);
  });

  it('are told apart from kinds that are not served, which are no fault', () => {
    const found = desired([doc('b.io/v1', 'Widget', { name: 'w' }), doc('v1', 'ConfigMap', { name: 'a' })]);
    assert.deepEqual(found.kind === 'desired' && found.unserved, [{ apiVersion: 'b.io/v1', kind: 'Widget' }]);
    assert.deepEqual(found.kind === 'desired' && found.objects.map(({ key }) => key.kind), ['ConfigMap']);
  });

  const FAULTS: readonly { why: string; documents: readonly Document[]; says: RegExp }[] = [
    { why: 'no kind', documents: [{ apiVersion: 'v1' }], says: /^Document 1: kind/ },
    { why: 'no apiVersion', documents: [{ kind: 'ConfigMap' }], says: /^Document 1: apiVersion/ },
    { why: 'no name', documents: [doc('v1', 'ConfigMap', { generateName: 'a-' })], says: /metadata\.name/ },
    { why: 'a name that is a path', documents: [doc('v1', 'ConfigMap', { name: 'a/b' })], says: /slash/ },
    {
      why: 'the same twice, once by the namespace of the order',
      documents: [doc('v1', 'ConfigMap', { name: 'a' }), doc('v1', 'ConfigMap', { name: 'a', namespace: 'default' })],
      says: /^Document 1 and document 2 are both v1\/ConfigMap\/default\/a\.$/,
    },
    {
      why: 'the same in two versions',
      documents: [doc('apps/v1', 'Deployment', { name: 'a' }), doc('apps/v1beta1', 'Deployment', { name: 'a' })],
      says: /^Document 1 and document 2/,
    },
    {
      why: 'the same in a list',
      documents: [
        doc('v1', 'Namespace', { name: 'a' }),
        { apiVersion: 'v1', kind: 'List', items: [doc('v1', 'Namespace', { name: 'a' })] },
      ],
      says: /^Document 1 and document 2, item 1/,
    },
    {
      why: 'an item that is no object',
      documents: [{ apiVersion: 'v1', kind: 'List', items: ['x'] }],
      says: /^Document 1, item 1: apiVersion/,
    },
  ];
  for (const { why, documents, says } of FAULTS) {
    it(`are refused for ${why}`, () => {
      const found = desired(documents);
      assert.match(found.kind === 'fault' ? found.message : '', says);
    });
  }
});
