import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lister } from '#kit/kube/cache';
import { type AccessDeps, accessOf, type KubeconfigSecret } from './workload-access.ts';

const CLUSTER = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace: 'default', name: 'one' },
};

function secretFor(server: string): KubeconfigSecret {
  const kubeconfig = { apiVersion: 'v1', kind: 'Config', clusters: [{ name: 'c', cluster: { server } }] };
  const context = { contexts: [{ name: 'x', context: { cluster: 'c', user: '' } }], 'current-context': 'x' };
  const value = Buffer.from(JSON.stringify({ ...kubeconfig, ...context })).toString('base64');
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one-kubeconfig' }, data: { value } };
}

test('a kubeconfig is read once, and anew when it is another', () => {
  let secret = secretFor('https://one.example:6443');
  const secrets: Lister<KubeconfigSecret> = {
    size: 1,
    get: () => secret,
    list: () => [secret],
    index: () => assert.fail('nobody asks for it'),
  };
  const deps: AccessDeps = { secrets, platform: undefined, known: new WeakMap() };
  const first = accessOf(CLUSTER, deps);
  assert.equal(accessOf(CLUSTER, deps), first);
  secret = secretFor('https://two.example:6443/');
  const second = accessOf(CLUSTER, deps);
  assert.equal(second.config.server, 'https://two.example:6443/');
  assert.notEqual(second.fingerprint, first.fingerprint);
});
