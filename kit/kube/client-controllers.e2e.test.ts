import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { clustersUnavailable, sharedCluster, type TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { CORE } from './client/core-resources.ts';
import { createKubeClient } from './client/create-kube-client.ts';
import type { DeleteOptions, KubeClient } from './client/kube-client.ts';
import type { KubeObject } from './client/kube-object.ts';
import { parseKubeConfig } from './config/load-kube-config.ts';
import { setOwnerReference } from './objects/owner-references.ts';
import { configMap, deployment } from './testing/contract/stage.ts';
import { waitFor } from './testing/wait-for.ts';

type Workload = KubeObject & { readonly status?: { readonly availableReplicas?: number } };
type Scale = KubeObject & { readonly spec: { readonly replicas: number } };

// Requests of a client that are carried out by controllers.
describe('the client where controllers run', { skip: (await clustersUnavailable('nodes')) ?? false }, () => {
  let cluster: TestCluster;
  let client: KubeClient;
  before(async () => {
    cluster = await sharedCluster('nodes', AbortSignal.timeout(PATIENCE_MS));
    client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
  });
  after(() => client.close());

  const propagations: { propagation: NonNullable<DeleteOptions['propagation']>; owned: 'stays' | 'goes' }[] = [
    { propagation: 'Background', owned: 'goes' },
    { propagation: 'Foreground', owned: 'goes' },
    { propagation: 'Orphan', owned: 'stays' },
  ];
  for (const { propagation, owned } of propagations) {
    it(`deletes an owner, ${propagation}: what it owns ${owned}`, async (t) => {
      const signal = withDeadline(t);
      const maps = { resource: CORE.configMaps, namespace: await cluster.namespace(t) };
      const owner = await client.create(maps, configMap('owner'), {}, signal);
      await client.create(
        maps,
        setOwnerReference(configMap('owned', {}, { namespace: maps.namespace }), owner),
        {},
        signal,
      );
      await client.delete({ ...maps, name: 'owner' }, { propagation }, signal);
      await untilGone({ ...maps, name: 'owner' }, signal);
      if (owned === 'goes') return await untilGone({ ...maps, name: 'owned' }, signal);
      const left = await client.get({ ...maps, name: 'owned' }, signal);
      assert.deepEqual(left.metadata.ownerReferences ?? [], [], 'it has nobody any more');
    });
  }

  it('deletes a namespace with all that is in it', async (t) => {
    const signal = withDeadline(t);
    const namespace = await cluster.namespace(t);
    await client.create({ resource: CORE.configMaps, namespace }, configMap('one'), {}, signal);
    await client.delete({ resource: CORE.namespaces, name: namespace }, {}, signal);
    await untilGone({ resource: CORE.namespaces, name: namespace }, signal);
  });

  it('scales, and is refused an eviction that a disruption budget forbids', async (t) => {
    const signal = withDeadline(t);
    const namespace = await cluster.namespace(t);
    const web = { resource: CORE.deployments, namespace, name: 'web' };
    await client.create<KubeObject>(web, deployment('web'), {}, signal);
    const pods = async (): Promise<readonly KubeObject[]> =>
      (await client.list({ resource: CORE.pods, namespace }, { labelSelector: 'app=web' }, signal)).items;
    const untilAvailable = (replicas: number) =>
      waitFor(async () => {
        assert.equal((await client.get<Workload>(web, signal)).status?.availableReplicas, replicas);
        assert.equal((await pods()).length, replicas);
      }, signal);
    await untilAvailable(1);
    const scale = await client.getSubresource<Scale>(web, 'scale', signal);
    await client.replace<Scale>(web, { ...scale, spec: { replicas: 2 } }, { subresource: 'scale' }, signal);
    await untilAvailable(2);

    const budgets = {
      resource: await client.discovery.resourceFor('policy/v1', 'PodDisruptionBudget', signal),
      namespace,
    };
    await client.create(budgets, budget('web', 1), {}, signal);
    await waitFor(async () => {
      const { status } = await client.get<Budget>({ ...budgets, name: 'web' }, signal);
      assert.equal(status?.disruptionsAllowed, 1);
    }, signal);
    const [first, second] = await pods();
    const ref = (pod: KubeObject | undefined) => ({ resource: CORE.pods, namespace, name: pod?.metadata.name ?? '' });
    const patch = { type: 'merge', patch: { spec: { minAvailable: 2 } } } as const;
    await client.evict(ref(first), { gracePeriodSeconds: 0 }, signal);
    await client.patch({ ...budgets, name: 'web' }, patch, {}, signal);
    await untilAvailable(2);
    await waitFor(async () => {
      const { status } = await client.get<Budget>({ ...budgets, name: 'web' }, signal);
      assert.deepEqual([status?.disruptionsAllowed, status?.currentHealthy], [0, 2]);
    }, signal);
    await assert.rejects(client.evict(ref(second), {}, signal), { code: 'TOO_MANY_REQUESTS' });
    assert.equal((await client.get(ref(second), signal)).metadata.deletionTimestamp, undefined);
  });

  async function untilGone(ref: Parameters<KubeClient['get']>[0], signal: AbortSignal): Promise<void> {
    await waitFor(() => assert.rejects(client.get(ref, signal), { code: 'NOT_FOUND' }), signal);
  }
});

type Budget = KubeObject & {
  readonly status?: { readonly disruptionsAllowed?: number; readonly currentHealthy?: number };
};

function budget(app: string, minAvailable: number): KubeObject & { readonly spec: object } {
  const spec = { minAvailable, selector: { matchLabels: { app } } };
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: app }, spec };
}

function withDeadline(t: TestContext): AbortSignal {
  return AbortSignal.any([t.signal, AbortSignal.timeout(PATIENCE_MS)]);
}
