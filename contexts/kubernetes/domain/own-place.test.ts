import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Document } from '#protocol/delivery';
import { desiredObjects } from './desired-objects.ts';
import { type OwnPlace, reachIntoOwn } from './own-place.ts';

const OWN: OwnPlace = {
  namespace: 'fleetshift-system',
  upgrade: { deployment: 'fleetshift-agent', container: 'agent', repository: 'r:5000/a/fleetshift' },
};
const CLUSTER_KINDS = ['Namespace', 'ClusterRole', 'ClusterRoleBinding', 'PersistentVolume', 'List'];

function reach(document: Document, own: OwnPlace = OWN): string | undefined {
  const desired = desiredObjects([document], {
    deployment: 'd-1',
    namespace: undefined,
    scopeOf: (_, kind) => (CLUSTER_KINDS.includes(kind) ? 'cluster' : 'namespaced'),
  });
  if (desired.kind === 'fault') throw new Error(desired.message);
  return reachIntoOwn(desired.objects, own);
}

const there = { name: 'x', namespace: 'fleetshift-system' };
const RBAC = 'rbac.authorization.k8s.io/v1';
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const pod = (image: string, more: object = {}): Document => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'fleetshift-agent', namespace: 'fleetshift-system' },
  spec: { template: { spec: { containers: [{ name: 'agent', image }], ...more } } },
});

suite('a delivery is rejected', () => {
  const rows: readonly { readonly why: string; readonly document: Document }[] = [
    {
      why: 'a Pod that could mount the identity',
      document: { apiVersion: 'v1', kind: 'Pod', metadata: there, spec: { volumes: [] } },
    },
    { why: 'a Secret there', document: { apiVersion: 'v1', kind: 'Secret', metadata: there } },
    { why: 'a kind that is not known to us', document: { apiVersion: 'a.example/v1', kind: 'Thing', metadata: there } },
    {
      why: 'one of a list',
      document: { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: there }] },
    },
    {
      why: 'the namespace itself, which would go with the deployment',
      document: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleetshift-system' } },
    },
    {
      why: 'rights for the account of the agent',
      document: {
        apiVersion: RBAC,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'x' },
        roleRef,
        subjects: [{ kind: 'ServiceAccount', name: 'fleetshift-agent', namespace: 'fleetshift-system' }],
      },
    },
    {
      why: 'rights for that account by its name as a user',
      document: {
        apiVersion: RBAC,
        kind: 'RoleBinding',
        metadata: { name: 'x', namespace: 'shop' },
        roleRef,
        subjects: [{ kind: 'User', name: 'system:serviceaccount:fleetshift-system:fleetshift-agent' }],
      },
    },
    {
      why: 'rights for all accounts there',
      document: {
        apiVersion: RBAC,
        kind: 'RoleBinding',
        metadata: { name: 'x', namespace: 'shop' },
        roleRef,
        subjects: [{ kind: 'Group', name: 'system:serviceaccounts:fleetshift-system' }],
      },
    },
    {
      why: 'a role that names a Secret of the agent',
      document: {
        apiVersion: RBAC,
        kind: 'ClusterRole',
        metadata: { name: 'x' },
        rules: [
          { apiGroups: [''], resources: ['secrets'], resourceNames: ['fleetshift-agent-identity'], verbs: ['get'] },
        ],
      },
    },
    {
      why: 'a role that names the id which tells its cluster from a copy',
      document: {
        apiVersion: RBAC,
        kind: 'ClusterRole',
        metadata: { name: 'x' },
        rules: [
          { apiGroups: [''], resources: ['secrets'], resourceNames: ['fleetshift-cluster-identity'], verbs: ['patch'] },
        ],
      },
    },
    {
      why: 'a volume that takes its credentials there',
      document: {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'x' },
        spec: { azureFile: { secretName: 'fleetshift-agent-identity', secretNamespace: 'fleetshift-system' } },
      },
    },
    {
      why: "the agent's Deployment under another account",
      document: pod('r:5000/a/fleetshift:2', { serviceAccountName: 'other' }),
    },
    { why: "the agent's Deployment of another image", document: pod('evil/fleetshift:2') },
    { why: 'an image that only begins like ours', document: pod('r:5000/a/fleetshift/evil:2') },
    {
      why: "the agent's Deployment with another container",
      document: {
        ...pod(''),
        spec: {
          template: { spec: { containers: [{ name: 'agent', image: 'r:5000/a/fleetshift:2', command: ['sh'] }] } },
        },
      },
    },
    {
      why: 'annotations on the Deployment, which others may act on',
      document: {
        ...pod('r:5000/a/fleetshift:2'),
        metadata: { name: 'fleetshift-agent', namespace: 'fleetshift-system', annotations: { a: 'b' } },
      },
    },
  ];
  for (const { why, document } of rows) {
    test(why, () => assert.match(reach(document) ?? '', /the namespace of the agent/));
  }

  test('of another version of the agent, where it was not said which image that is', () => {
    assert.ok(reach(pod('fleetshift:2'), { namespace: 'fleetshift-system' }));
  });
});

suite('a delivery is taken', () => {
  const rows: readonly { readonly why: string; readonly document: Document }[] = [
    { why: 'elsewhere', document: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', namespace: 'shop' } } },
    {
      why: 'an account of the same name elsewhere is not the one of the agent',
      document: {
        apiVersion: RBAC,
        kind: 'RoleBinding',
        metadata: { name: 'x', namespace: 'shop' },
        roleRef,
        subjects: [{ kind: 'ServiceAccount', name: 'fleetshift-agent', namespace: 'shop' }],
      },
    },
    { why: 'another version of the agent', document: pod('r:5000/a/fleetshift:2') },
    { why: 'another version of the agent by digest', document: pod('r:5000/a/fleetshift:2@sha256:00ff') },
  ];
  for (const { why, document } of rows) test(why, () => assert.equal(reach(document), undefined));
});
