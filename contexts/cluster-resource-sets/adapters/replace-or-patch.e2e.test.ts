import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createKubeClient, type KubeClient, parseKubeConfig } from '#kit/kube';
import { isJsonObject, type JsonObject, sleep } from '#kit/std';
import { clustersUnavailable, sharedCluster, type TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { isCrsError } from '../domain/crs-error.ts';
import type { ManifestObject } from '../domain/manifest.ts';
import { patchOf } from '../domain/merge-patch.ts';
import { KubeWorkloadApi } from './kube-workload-api.ts';

interface Case {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly why: string;
  readonly first: JsonObject;
  readonly second: JsonObject;
}

const POD = (image: string): JsonObject => ({
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'x', image }] },
});
const GROUP = `g${randomBytes(5).toString('hex')}.example.io`;
const CASES: readonly Case[] = [
  {
    kind: 'ConfigMap',
    why: 'keys go, and what is null is not there',
    first: { data: { a: '1', b: '2' } },
    second: { data: { a: '2', c: null }, binaryData: null, metadata: { creationTimestamp: null } },
  },
  {
    kind: 'Secret',
    why: 'texts become data, and a type that is not said is the default',
    first: { stringData: { a: '1', b: '2' } },
    second: { stringData: { b: '3' } },
  },
  {
    kind: 'Service',
    why: 'an address that was given by the server stays',
    first: { spec: { selector: { app: 'x' }, ports: [{ port: 80 }] } },
    second: { spec: { selector: { app: 'y' }, ports: [{ port: 81, name: 'web' }] } },
  },
  {
    kind: 'ServiceAccount',
    why: 'labels and finalizers are as the manifest says',
    first: { metadata: { labels: { a: 'b' }, annotations: { a: 'b' } } },
    second: { metadata: { labels: { c: 'd' } }, automountServiceAccountToken: false },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    why: 'groups are defaulted in lists',
    first: { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: 'a' }] },
    second: { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: 'b' }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    why: 'most of it is defaults',
    first: { spec: { replicas: 3, selector: { matchLabels: { app: 'x' } }, template: POD('a:1') } },
    second: { spec: { selector: { matchLabels: { app: 'x' } }, template: POD('a:2'), revisionHistoryLimit: 3 } },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    why: 'types follow from what there is',
    first: { spec: { podSelector: {}, egress: [{}] } },
    second: { spec: { podSelector: { matchLabels: { a: 'b' } } } },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    why: 'it is in no namespace',
    first: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    second: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }], aggregationRule: null },
  },
  {
    apiVersion: `${GROUP}/v1`,
    kind: 'Gadget',
    why: 'nothing is known of what is in it',
    first: { spec: { a: { b: 1 }, kept: null }, more: [{ x: 1 }] },
    second: { spec: { a: { c: { d: null, e: 2 } }, kept: null }, more: [{ y: null, z: 1 }, null] },
  },
];

/** The object without fields that differ from run to run. */
function essence(live: JsonObject | undefined, place: string): unknown {
  const { uid: _, resourceVersion: __, creationTimestamp: ___, ...metadata } = metadataOf(live ?? assert.fail());
  const text = JSON.stringify({ ...live, metadata })
    .replaceAll(place, 'PLACE')
    .replaceAll(/"(time|lastTransitionTime)":"[^"]*"/g, '"time":""')
    .replaceAll(/"10\.[0-9.]+"/g, '"address"');
  return JSON.parse(text) as unknown;
}

/** Waits until the server serves them. */
async function defineGadgets(api: KubeWorkloadApi, signal: AbortSignal): Promise<void> {
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${GROUP}` },
    spec: { group: GROUP, names, scope: 'Namespaced', versions: [{ name: 'v1', served: true, storage: true, schema }] },
  };
  await api.create(definition, signal);
  const probe = { apiVersion: `${GROUP}/v1`, kind: 'Gadget', metadata: { name: 'probe', namespace: 'default' } };
  for (;;) {
    try {
      if ((await api.create(probe, signal)) !== undefined) return;
    } catch (error) {
      if (!isCrsError(error, 'OBJECT_NOT_APPLIED')) throw error;
      await sleep(100, signal);
    }
  }
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

describe('an object that nobody has touched', { skip: (await clustersUnavailable()) ?? false }, () => {
  let cluster: TestCluster;
  let client: KubeClient;
  let api: KubeWorkloadApi;

  before(async () => {
    cluster = await sharedCluster('apiserver', AbortSignal.timeout(PATIENCE_MS));
    client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
    api = new KubeWorkloadApi(client);
    await defineGadgets(api, AbortSignal.timeout(PATIENCE_MS));
  });
  after(() => client.close());

  for (const { apiVersion = 'v1', kind, why, first, second } of CASES) {
    it(`comes to the same by a patch and by being replaced: ${kind}, ${why}`, async (t) => {
      const results: unknown[] = [];
      for (const way of ['patch', 'replace']) {
        const namespace = await cluster.namespace(t);
        const place = { name: namespace, ...(kind !== 'ClusterRole' && { namespace }) };
        const manifest = (content: JsonObject): ManifestObject => ({
          apiVersion,
          kind,
          ...content,
          metadata: { ...metadataOf(content), ...place },
        });
        const made = (await api.create(manifest(first), t.signal)) ?? assert.fail();
        const live = (await api.get(manifest(first), t.signal)) ?? assert.fail();
        const written =
          way === 'replace'
            ? await api.replace(manifest(second), made.resourceVersion, t.signal)
            : await api.patch(manifest(second), patchOf(live, manifest(second)) ?? assert.fail(), t.signal);
        assert.equal(written?.uid, made.uid);
        assert.notEqual(written.resourceVersion, made.resourceVersion);
        results.push(essence(await api.get(manifest(second), t.signal), namespace));
      }
      assert.deepEqual(results[1], results[0]);
    });
  }
});
