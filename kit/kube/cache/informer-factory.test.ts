import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { InformerFactory } from './informer-factory.ts';
import { CONFIG_MAPS, type ConfigMap, configMap, MemoryKube } from './testing/memory-kube.ts';

const collection = { resource: CONFIG_MAPS, namespace: 'here' };

test('those who ask for the same share one list, one watch and one copy', () => {
  const factory = new InformerFactory({ client: new MemoryKube().client() });
  const informer = factory.informer<ConfigMap>(collection);
  assert.equal(factory.informer(collection), informer);
  for (const [why, other] of [
    ['another namespace', factory.informer({ resource: CONFIG_MAPS })],
    ['another kind', factory.informer({ ...collection, resource: { ...CONFIG_MAPS, plural: 'secrets' } })],
    ['another version', factory.informer({ ...collection, resource: { ...CONFIG_MAPS, version: 'v2' } })],
    ['a selector', factory.informer(collection, { labelSelector: 'a=b' })],
    ['another selector', factory.informer(collection, { fieldSelector: 'a=b' })],
    ['another trim', factory.informer(collection, { trim: (object) => object })],
  ] as const) {
    assert.notEqual(other, informer, why);
  }
});

test('it keeps all up to date until it is stopped, those too that are asked for later', async () => {
  const kube = new MemoryKube();
  const stop = new AbortController();
  const factory = new InformerFactory({ client: kube.client() });
  const early = factory.informer<ConfigMap>(collection);
  const running = factory.run(stop.signal);
  const late = factory.informer<ConfigMap>({ resource: CONFIG_MAPS });
  await factory.synced(stop.signal);
  await kube.client().create(collection, configMap('a'), {}, stop.signal);
  await turn();
  assert.deepEqual([early.cache.size, late.cache.size, kube.watches], [1, 1, 2]);
  stop.abort();
  await running;
  assert.equal(kube.watches, 0);
});
