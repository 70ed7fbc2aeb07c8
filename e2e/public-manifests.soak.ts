import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cleaner, TestCluster } from '#testing/clusters';
import { lookAgainMs } from '#testing/look-again';
import { PATIENCE_MS } from '#testing/patience';
import {
  manifestsUnavailable,
  type PublicManifest,
  type PublicObject,
  publicManifest,
} from '#testing/public-manifests';
import { eachCase, type Soak, type SoakCase } from '#testing/soak';
import { type ClusterInventory, clusterInventory, differences } from '../testing/clusters/cluster-inventory.ts';
import { deploymentOf, ManifestsFleet, until } from './public-manifests/manifests-fleet.ts';

const ARGO_NAMESPACE = 'argocd';
/** Objects under generated names: of controllers, addresses of Services, and records of the agent. */
const GENERATED =
  /^(pods|replicasets\.apps|controllerrevisions\.apps|endpoints|endpointslices\.discovery\.k8s\.io|ipaddresses\.networking\.k8s\.io) |^secrets fleetshift-system\//;

interface Change {
  readonly name: string;
  readonly from: PublicManifest;
  readonly to: PublicManifest;
}

const CRDS: readonly Change[] = [
  { name: 'cert-manager-crds', from: 'cert-manager-crds-old', to: 'cert-manager-crds' },
  { name: 'gateway-api-crds', from: 'gateway-api-crds-old', to: 'gateway-api-crds' },
];
/** A new release of either variant, and the step from one variant to the other. */
const ARGO: readonly Change[] = [
  { name: 'argo-cd', from: 'argo-cd-old', to: 'argo-cd-ha' },
  { name: 'argo-cd', from: 'argo-cd-old-ha', to: 'argo-cd-ha' },
  { name: 'argo-cd', from: 'argo-cd-old', to: 'argo-cd' },
];

export const soak: Soak = {
  description:
    'public manifests on two real clusters: delivered, upgraded, rolled back and removed, with kill -9 on the way',
  defaultCount: 12,
  async run(options) {
    const why = await manifestsUnavailable();
    if (why !== undefined) throw new Error(`deliver public manifests: ${why}`);
    await eachCase(options, withCleanup);
  },
};

async function withCleanup(it: SoakCase): Promise<void> {
  const cleanups: (() => Promise<void> | void)[] = [];
  try {
    await deliverPublicManifests({ after: (clean) => void cleanups.push(clean) }, it);
  } finally {
    for (const clean of cleanups.toReversed()) await clean();
  }
}

/** One life of three deployments, which leaves both clusters as they were. */
async function deliverPublicManifests(t: Cleaner, { seed, random, signal }: SoakCase): Promise<void> {
  const fleet = await ManifestsFleet.open(t, random, signal);
  const changes = [...CRDS, ARGO[seed % ARGO.length] ?? assert.fail()];
  const names = changes.map(({ name }) => name);
  const bringsNamespace = random.pick([true, false]);
  const before = new Map<TestCluster, ClusterInventory>();
  for (const cluster of fleet.clusters) {
    await applyAsOthers(cluster, ofOthers(bringsNamespace));
    await until('controllers of others', async () => await isSteady(cluster));
    before.set(cluster, await clusterInventory(cluster, signal));
  }

  const documentsOf = async ({ name }: Change, manifest: PublicManifest): Promise<readonly PublicObject[]> => {
    const documents = await publicManifest(manifest);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ARGO_NAMESPACE } };
    return name === 'argo-cd' && bringsNamespace ? [namespace, ...documents] : documents;
  };
  await fleet.start();

  await fleet.killDuring(async (client) => {
    for (const change of changes) {
      const documents = await documentsOf(change, change.from);
      await client.create([
        deploymentOf(change.name, documents, change.name === 'argo-cd' ? ARGO_NAMESPACE : undefined),
      ]);
    }
  });
  await fleet.settled(names);
  await anotherDeploymentTakesNothing(fleet);
  const delivered = await Promise.all(fleet.clusters.map((cluster) => namesOn(cluster, signal)));

  await fleet.killDuring(async (client) => {
    for (const change of changes) {
      await client.patch(change.name, {
        manifest: { type: 'inline', documents: await documentsOf(change, change.to) },
      });
    }
  });
  await fleet.settled(names);

  await fleet.killDuring(async (client) => {
    for (const { name } of changes) await client.steer(name, ':rollback', { revision: 1 });
  });
  await fleet.settled(names);
  for (const [index, cluster] of fleet.clusters.entries()) {
    assert.deepEqual(await namesOn(cluster, signal), delivered[index], 'rolled back means what was there before');
  }

  await fleet.killDuring(async () => {
    for (const { name } of changes) await fleet.delete(name);
  });
  await fleet.gone(names);
  await fleet.stopAgent();
  for (const [cluster, was] of before) await untilNothingIsLeft(cluster, was, signal);
}

/** A deployment that claims an object of Argo CD does not get it, whatever its policy, and takes nothing along when it goes. */
async function anotherDeploymentTakesNothing(fleet: ManifestsFleet): Promise<void> {
  const claimed = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-cm', namespace: ARGO_NAMESPACE } };
  const policy = { apiVersion: 'kubernetes.fleetshift.io/v1', kind: 'DeliveryPolicy', metadata: { name: 'policy' } };
  const uids = async (): Promise<readonly string[]> => {
    const args = ['-n', ARGO_NAMESPACE, 'get', 'configmap', 'argocd-cm', '-o', 'jsonpath={.metadata.uid}'];
    return await Promise.all(fleet.clusters.map(async (cluster) => (await cluster.kubectl(args)).stdout));
  };
  const before = await uids();
  await fleet.client.create([deploymentOf('claims', [{ ...policy, onConflict: 'force' } as PublicObject, claimed])]);
  await fleet.refused('claims', /argocd-cm belongs to the deployment/);
  await fleet.killDuring(async () => await fleet.delete('claims'));
  await fleet.gone(['claims']);
  assert.deepEqual(await uids(), before);
}

/** What others have in the cluster: in a namespace of their own, and beside Argo CD's objects, with the same labels. */
function ofOthers(bringsNamespace: boolean): readonly object[] {
  const labels = { 'app.kubernetes.io/part-of': 'argocd', 'app.kubernetes.io/name': 'argocd-cm' };
  const namespaces = ['others', ...(bringsNamespace ? [] : [ARGO_NAMESPACE])];
  const inEach = namespaces.flatMap((namespace) => [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs', namespace, labels }, data: { a: 'b' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'theirs', namespace, labels } },
  ]);
  const selector = { matchLabels: { app: 'theirs' } };
  const template = {
    metadata: { labels: selector.matchLabels },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  };
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return [
    ...inEach,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'theirs', namespace: 'others' },
      spec: { replicas: 2, selector, template },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'argocd-theirs', labels },
      rules,
    },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.others.example.com', labels },
      spec: {
        group: 'others.example.com',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
  ];
}

async function applyAsOthers(cluster: TestCluster, items: readonly object[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { input: list });
  assert.equal(code, 0, stderr);
}

async function isSteady(cluster: TestCluster): Promise<boolean> {
  const deployment = ['-n', 'others', 'get', 'deployment', 'theirs', '-o', 'jsonpath={.status.readyReplicas}'];
  const accounts = ['get', 'serviceaccounts', '-A', '-o', 'name'];
  const namespaces = ['get', 'namespaces', '-o', 'name'];
  const [ready, each, all] = await Promise.all([deployment, accounts, namespaces].map((args) => cluster.kubectl(args)));
  const count = (text: string | undefined, name: RegExp): number =>
    (text ?? '').split('\n').filter((line) => name.test(line)).length;
  return ready?.stdout === '2' && count(each?.stdout, /\/default$/) === count(all?.stdout, /./);
}

/** The names of all objects, without those that controllers generate. */
async function namesOn(cluster: TestCluster, signal: AbortSignal): Promise<readonly string[]> {
  const names = [...(await clusterInventory(cluster, signal)).keys()];
  return names.filter((name) => !GENERATED.test(name)).toSorted();
}

/** Pods and the contents of namespaces are collected some time after what held them. */
async function untilNothingIsLeft(cluster: TestCluster, before: ClusterInventory, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const found = differences(before, await clusterInventory(cluster, signal));
    if (found.length === 0) return;
    if (performance.now() - begun > PATIENCE_MS) assert.deepEqual(found, [], `${cluster.name} is as it was`);
    await delay(lookAgainMs(begun));
  }
}
