import { CORE, createKubeClient } from '#kit/kube';
import { InformerFactory } from '#kit/kube/cache';
import { FakeApiServer } from '#kit/kube/testing';
import { createCaches } from '../adapters/caches.ts';
import { BINDINGS, CLUSTERS, SETS } from '../adapters/kinds.ts';
import { KubeBindings } from '../adapters/kube-bindings.ts';
import { KubeResourceSets } from '../adapters/kube-resource-sets.ts';
import { KubeResources } from '../adapters/kube-resources.ts';
import { NO_OPTIONS } from '../domain/set-options.ts';
import { aSet } from '../testing/a-set.ts';
import { FakeManagement } from '../testing/fake-management.ts';
import { anObject, FakeWorkload } from '../testing/fake-workload.ts';
import { inventoriesContract } from '../testing/inventories-contract.ts';
import { managementContract } from '../testing/management-contract.ts';
import { workloadContract } from '../testing/workload-contract.ts';

workloadContract('in memory', async () => {
  const clusters = new FakeWorkload();
  clusters.down.set('b', 'it does not answer');
  return { clusters, namespace: 'shop' };
});

inventoriesContract('in memory', async () => {
  const { inventories, spoiled } = new FakeManagement();
  const spoil = async (set: { name: string }, cluster: { name: string }) =>
    void spoiled.add(`${set.name}/${cluster.name}`);
  return { inventories, namespace: 'fleet', spoil };
});

managementContract('in memory', async () => {
  const management = new FakeManagement();
  management.put(aSet());
  management.putResource('cm', [anObject('one')]);
  management.putEmpty('empty');
  return {
    sets: management.sets,
    bindings: management.bindings,
    resources: management.resources,
    touchSet: async () => management.change('web', {}),
    touchBinding: async (name) => management.putBinding(name, { ...management.bindingsByName.get(name) }),
  };
});

managementContract('an API server', async (t) => {
  const resources = [SETS, BINDINGS, CLUSTERS].map((resource) => ({ ...resource, status: resource === SETS }));
  const server = await FakeApiServer.start({ resources });
  t.after(() => server.close());
  const client = createKubeClient({ config: server.config });
  t.after(() => client.close());
  const metadata = (name: string) => ({ name, namespace: 'fleet' });
  server.put(CORE.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet' } });
  server.put(SETS, {
    apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
    kind: 'ClusterResourceSet',
    metadata: metadata('web'),
  });
  const data = { a: JSON.stringify(anObject('one')) };
  server.put(CORE.configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('cm'), data } as never);
  server.put(CORE.configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('empty') });

  const informers = new InformerFactory({ client });
  const caches = createCaches({ informers });
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
  });
  await caches.synced(t.signal);
  const touch = async (resource: typeof SETS, name: string): Promise<void> => {
    const patch = { metadata: { labels: { touched: 'yes' } } };
    await client.patch({ resource, namespace: 'fleet', name }, { type: 'merge', patch }, {}, t.signal);
  };
  return {
    sets: new KubeResourceSets({ client, fresh: caches.sets.fresh, defaults: NO_OPTIONS }),
    bindings: new KubeBindings({ client, fresh: caches.bindings.fresh }),
    resources: new KubeResources({ client, caches, clock: { now: () => 0 } }),
    touchSet: () => touch(SETS, 'web'),
    touchBinding: (name) => touch(BINDINGS, name),
  };
});
