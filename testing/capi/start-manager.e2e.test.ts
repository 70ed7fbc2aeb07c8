import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CORE, createKubeClient, type KubeObject, parseKubeConfig } from '#kit/kube';
import { capiManager, capiUnavailable, installCapiDefinitions, startCapiManager } from '../capi.ts';
import { clustersUnavailable, ownCluster } from '../clusters.ts';

const program = await capiManager();
const skip =
  (await clustersUnavailable()) ??
  (await capiUnavailable()) ??
  (program === undefined && "there is no Go to build Cluster API's manager with");

describe("Cluster API's manager", { skip }, () => {
  it('starts on a cluster that has its kinds, works, and goes when told', async (t) => {
    const cluster = await ownCluster(t, { size: 'apiserver', name: 'capi' }, t.signal);
    await installCapiDefinitions(cluster, {}, t.signal);
    const manager = await startCapiManager({ program: program ?? '', kubeconfig: cluster.kubeconfigFile() });
    t.after(() => manager.stop());
    const client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
    t.after(() => client.close());

    const resource = await client.discovery.resourceFor(
      'addons.cluster.x-k8s.io/v1beta2',
      'ClusterResourceSet',
      t.signal,
    );
    const namespace = await cluster.namespace(t);
    const set = {
      apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
      kind: 'ClusterResourceSet',
      metadata: { name: 'web' },
      spec: { clusterSelector: { matchLabels: { a: 'b' } }, resources: [{ kind: 'ConfigMap', name: 'x' }] },
    };
    const { metadata } = await client.create<KubeObject>({ resource, namespace }, set, {}, t.signal);
    const since = { resourceVersion: metadata.resourceVersion ?? '' };
    for await (const event of client.watch({ resource, namespace }, since, t.signal)) {
      if (event.type === 'MODIFIED' && event.object.metadata.finalizers?.length === 1) break;
    }
    assert.match(await (await fetch(manager.metrics)).text(), /workqueue_adds_total/);
    await manager.stop();
    assert.throws(() => process.kill(manager.pid, 0), { code: 'ESRCH' });
  });

  it('says what it said when it does not start', async () => {
    const started = startCapiManager({ program: '/bin/false', kubeconfig: '/dev/null' });
    await assert.rejects(started, /start Cluster API's manager: failed with/);
  });
});

describe('installCapiDefinitions', { skip }, () => {
  it('leaves out what is not asked for', async (t) => {
    const cluster = await ownCluster(t, { size: 'apiserver', name: 'capi-some' }, t.signal);
    await installCapiDefinitions(cluster, { only: ({ spec }) => spec.group.startsWith('addons.') }, t.signal);
    const client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
    t.after(() => client.close());
    const { items } = await client.list({ resource: CORE.customResourceDefinitions }, {}, t.signal);
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['clusterresourcesetbindings.addons.cluster.x-k8s.io', 'clusterresourcesets.addons.cluster.x-k8s.io'],
    );
  });
});
