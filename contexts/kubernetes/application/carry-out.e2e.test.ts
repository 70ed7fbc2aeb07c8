import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CORE, createKubeClient, type KubeClient, listAll, parseKubeConfig } from '#kit/kube';
import { sleep } from '#kit/std';
import { clustersUnavailable, sharedCluster } from '#testing/clusters';
import { KubeClusterApi } from '../adapters/kube-cluster-api.ts';
import { KubeDiscovery } from '../adapters/kube-discovery.ts';
import { KubeInventories } from '../adapters/kube-inventories.ts';
import type { KubeObject } from '../domain/kube-object.ts';
import { carryOut } from './carry-out.ts';
import { Claims } from './claims.ts';
import { InventoryTracker } from './inventory-tracker.ts';
import type { Delivery } from './survey.ts';

/** Foreground deletion is completed by a controller. */
const size = 'controllers';

describe('a delivery to a real API server', { skip: (await clustersUnavailable(size)) ?? false }, () => {
  const signal = AbortSignal.timeout(240_000);
  const cleanups: (() => Promise<void>)[] = [];
  let client: KubeClient;
  let namespace: string;

  before(async () => {
    const shared = await sharedCluster(size, signal);
    client = createKubeClient({ config: parseKubeConfig(shared.kubeconfig()) });
    namespace = await shared.namespace({ after: (body) => cleanups.push(async () => await body()) });
  });

  after(async () => {
    for (const clean of cleanups) await clean();
    await client.close();
  });

  async function run(revision: number, documents: readonly object[], deployment = 'd-1') {
    const inventories = new KubeInventories(client, namespace);
    const cluster = new KubeClusterApi(client);
    const deps = { cluster, discovery: new KubeDiscovery(client, namespace), inventories, width: 16, sleep };
    const { records } = await inventories.all(signal);
    const kept = records.find((each) => each.deployment === deployment);
    const delivery: Delivery = { deployment, revision, hash: `${revision}`, documents: documents as [], namespace };
    const tracker = new InventoryTracker({ inventories }, kept, delivery);
    const task = { delivery, tracker, claims: new Claims(), isOver: () => false, versions: new Map<string, string>() };
    return await carryOut({ ...deps, looksMs: Array.from({ length: 100 }, () => 100) }, task, signal);
  }

  function map(name: string, data: object = { a: '1' }) {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
  }

  async function names(prefix: string): Promise<string[]> {
    const { items } = await listAll(client, { resource: CORE.configMaps, namespace }, {}, signal);
    return items.map(({ metadata }) => metadata.name ?? '').filter((name) => name.startsWith(prefix));
  }

  it('prunes what left, changes what changed, and leaves the rest as it is', async () => {
    assert.deepEqual(await run(1, [map('p-a'), map('p-b'), map('p-c')]), { kind: 'applied' });
    const ref = { resource: CORE.configMaps, namespace, name: 'p-b' };
    const before = await client.get<KubeObject>(ref, signal);
    assert.deepEqual(await run(2, [map('p-b'), map('p-c', { a: '2' })]), { kind: 'applied' });
    assert.deepEqual(await names('p-'), ['p-b', 'p-c']);
    assert.equal((await client.get<KubeObject>(ref, signal)).metadata.resourceVersion, before.metadata.resourceVersion);
  });

  it('has a kind and an object of it in one delivery', async () => {
    const group = `${namespace}.example.io`;
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `gadgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind: 'Gadget', plural: 'gadgets' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const gadget = { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name: 'g' }, spec: { size: 1 } };
    let outcome = await run(1, [gadget, definition], 'd-2');
    for (let tries = 0; outcome.kind === 'waiting' && tries < 50; tries += 1) {
      await sleep(100, signal);
      outcome = await run(1, [gadget, definition], 'd-2');
    }
    assert.deepEqual(outcome, { kind: 'applied' });
    await client.delete({ resource: CORE.customResourceDefinitions, name: `gadgets.${group}` }, {}, signal);
  });

  it('knows the installation', async () => {
    assert.match(await new KubeDiscovery(client, namespace).instance(signal), /^[-0-9a-f]{36}$/);
  });
});
