import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sleep } from '#kit/std';
import { memoryLogger } from '#kit/telemetry/testing';
import { clustersUnavailable, sharedCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { CORE } from '../client/core-resources.ts';
import { createKubeClient } from '../client/create-kube-client.ts';
import type { KubeClient } from '../client/kube-client.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { parseKubeConfig } from '../config/load-kube-config.ts';
import { EventRecorder } from './events/event-recorder.ts';
import type { KubeEvent } from './events/kube-event.ts';
import { addFinalizer, removeFinalizer } from './finalizers.ts';
import { setControllerReference } from './owner-references.ts';

const OURS = 'example.io/ours';
const size = 'controllers';

describe('objects on a real API server', { skip: (await clustersUnavailable(size)) ?? false }, () => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const cleanups: (() => Promise<void>)[] = [];
  let client: KubeClient;
  let namespace: string;

  before(async () => {
    const cluster = await sharedCluster(size, signal);
    client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
    namespace = await cluster.namespace({ after: (body) => cleanups.push(async () => await body()) });
  });

  after(async () => {
    for (const clean of cleanups) await clean();
    await client.close();
  });

  function ref(name: string) {
    return { resource: CORE.configMaps, namespace, name };
  }

  async function create(name: string, change: (object: KubeObject) => KubeObject = (it) => it): Promise<KubeObject> {
    const object = change({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } });
    return await client.create({ resource: CORE.configMaps, namespace }, object, {}, signal);
  }

  async function patch(name: string, by: ReturnType<typeof addFinalizer>): Promise<KubeObject> {
    assert.ok(by);
    return await client.patch(ref(name), by, {}, signal);
  }

  it('is held by a finalizer until it is removed', async () => {
    const made = await create('held');
    const held = await patch('held', addFinalizer(made, OURS));
    assert.deepEqual(held.metadata.finalizers, [OURS]);
    await client.delete(ref('held'), {}, signal);
    const going = await client.get(ref('held'), signal);
    assert.ok(going.metadata.deletionTimestamp);
    await patch('held', removeFinalizer(going, OURS));
    await assert.rejects(client.get(ref('held'), signal), { code: 'NOT_FOUND' });
  });

  it('keeps what somebody else set in between: a stale patch is a conflict', async () => {
    const made = await create('raced');
    await patch('raced', addFinalizer(made, 'example.io/other'));
    await assert.rejects(patch('raced', addFinalizer(made, OURS)), { code: 'CONFLICT' });
    const seen = await client.get(ref('raced'), signal);
    const both = await patch('raced', addFinalizer(seen, OURS));
    assert.deepEqual(both.metadata.finalizers, ['example.io/other', OURS]);
    const one = await patch('raced', removeFinalizer(both, 'example.io/other'));
    await patch('raced', removeFinalizer(one, OURS));
  });

  it('goes with its controller', async () => {
    const owner = await create('owner');
    await create('owned', (object) => setControllerReference(object, owner));
    await client.delete(ref('owner'), { propagation: 'Background' }, signal);
    for (;;) {
      const gone = await client.get(ref('owned'), signal).then(
        () => false,
        (error: unknown) => error instanceof Error && 'code' in error && error.code === 'NOT_FOUND',
      );
      if (gone) break;
      await sleep(100, signal);
    }
  });

  it('has events that are counted and combined, as the server stores them', async () => {
    const about = await create('eventful');
    const source = { component: 'tester', instance: 'test-0' };
    const { log, lines } = memoryLogger();
    const recorder = new EventRecorder({ client, source, log });
    const note = (message: string) => ({ type: 'Warning', reason: 'Odd', message }) as const;
    for (let time = 0; time < 3; time++) recorder.record(about, note('again'));
    for (let shade = 0; shade < 11; shade++) recorder.record(about, note(`shade ${shade}`));
    const stop = new AbortController();
    stop.abort();
    await recorder.run(stop.signal);
    assert.deepEqual(recorder.counts, { written: 14, dropped: 0, skipped: 0, refused: 0 });
    assert.deepEqual(lines, []);
    const fieldSelector = `involvedObject.uid=${about.metadata.uid}`;
    const { items } = await client.list<KubeEvent>({ resource: CORE.events, namespace }, { fieldSelector }, signal);
    const counts = new Map(items.map(({ message, count }) => [message, count]));
    assert.equal(counts.get('again'), 3);
    assert.equal(counts.get('(combined from similar events): shade 10'), 3);
    assert.equal(items.length, 10);
  });
});
