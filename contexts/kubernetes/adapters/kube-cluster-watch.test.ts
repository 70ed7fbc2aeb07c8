import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CORE, createKubeClient, type KubeClient, type KubeObject } from '#kit/kube';
import { FakeApiServer } from '#kit/kube/testing';
import { sleep } from '#kit/std';
import { DEPLOYMENT_LABEL } from '../domain/kube-object.ts';
import { KubeClusterWatch } from './kube-cluster-watch.ts';

const signal = new AbortController().signal;
const namespace = 'shop';
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
const MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

function labelled(kind: typeof MAP, name: string, deployment: string): KubeObject {
  return { ...kind, metadata: { name, namespace, labels: { [DEPLOYMENT_LABEL]: deployment } } };
}

describe('a watch of a cluster', () => {
  let server: FakeApiServer;
  let client: KubeClient;
  let watch: KubeClusterWatch;
  const changed: string[] = [];
  const over = new AbortController();
  let running: Promise<void>;

  before(async () => {
    server = await FakeApiServer.start();
    client = createKubeClient({ config: server.config });
    server.put(CORE.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    watch = new KubeClusterWatch({ client });
    const listener = {
      changed: (deployment: string): number => changed.push(deployment),
      synced: () => {},
      patternsFor: () => [],
    };
    running = watch.run(listener, over.signal);
  });

  after(async () => {
    over.abort();
    await running;
    await client.close();
    await server.close();
  });

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await sleep(5, signal);
  }

  /** The kinds that are being watched. */
  function watched(): Set<string> {
    return new Set(
      server.requests.filter(({ watch: isWatch }) => isWatch).map(({ path }) => path.split('/').at(-1) ?? ''),
    );
  }

  it('knows the objects of the kinds that it follows, and those only that are ours', async () => {
    const ref = { resource: CORE.configMaps, namespace };
    await client.create(ref, labelled(MAP, 'one', 'd-1'), {}, signal);
    await client.create(ref, { ...MAP, metadata: { name: 'theirs', namespace } }, {}, signal);
    assert.equal(watch.isSynced(MAP), false);
    watch.follow([{ ...MAP, isWhole: false }]);
    await until(() => watch.isSynced(MAP));
    assert.equal(watch.observedObject({ ...MAP, namespace, name: 'one' })?.object.metadata.name, 'one');
    assert.equal(watch.observedObject({ ...MAP, namespace, name: 'theirs' }), undefined);
    await client.delete({ ...ref, name: 'one' }, {}, signal);
    await until(() => watch.observedObject({ ...MAP, namespace, name: 'one' }) === undefined);
    assert.ok(changed.filter((deployment) => deployment === 'd-1').length >= 2);
  });

  it('knows that there is nothing of a kind that is not served', async () => {
    const gadget = { apiVersion: 'a.io/v1', kind: 'Gadget' };
    watch.follow([{ ...gadget, isWhole: false }]);
    await until(() => watch.isSynced(gadget));
    assert.equal(watch.observedObject({ ...gadget, name: 'g' }), undefined);
    assert.equal(watch.isSynced(MAP), false, 'what is not asked for is let go');
  });

  it('looks at Pods only while there are workloads, and says whose they are', async () => {
    assert.equal(watched().has('pods'), false);
    watch.follow([{ ...DEPLOYMENT, isWhole: false }]);
    const web = await client.create(
      { resource: CORE.deployments, namespace },
      { ...labelled(DEPLOYMENT, 'web', 'd-2'), spec: { replicas: 1 } } as KubeObject,
      {},
      signal,
    );
    await until(() => watched().has('pods') && watched().has('replicasets') && watched().has('events'));
    const owned = (kind: typeof MAP, name: string, owner: KubeObject) => {
      const { apiVersion, kind: its, metadata } = owner;
      const reference = { apiVersion, kind: its, name: metadata.name ?? '', uid: metadata.uid ?? '', controller: true };
      return { ...kind, metadata: { name, namespace, ownerReferences: [reference] } };
    };
    const set = await client.create(
      { resource: CORE.replicaSets, namespace },
      owned({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }, 'web-1', web),
      {},
      signal,
    );
    const key = { ...DEPLOYMENT, namespace, name: 'web' };
    changed.length = 0;
    const pod = { apiVersion: 'v1', kind: 'Pod' };
    await client.create({ resource: CORE.pods, namespace }, owned(pod, 'web-1-a', set), {}, signal);
    await client.create({ resource: CORE.pods, namespace }, { ...pod, metadata: { name: 'x', namespace } }, {}, signal);
    await until(() => watch.dependents(key).pods.length === 1 && changed.includes('d-2'));
    assert.equal(watch.dependents(key).pods[0]?.metadata.name, 'web-1-a');
    watch.follow([]);
    assert.deepEqual(watch.dependents(key), { pods: [], events: [] });
  });
});
