import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryLogger } from '#kit/telemetry/testing';
import { clustersUnavailable, ownCluster } from '#testing/clusters';
import { seededRandom, testSeed } from '#testing/seeded';
import { CORE } from '../client/core-resources.ts';
import { waitFor } from '../testing/wait-for.ts';
import { InformerFactory } from './informer-factory.ts';
import { FaultStage } from './testing/fault-stage.ts';
import { type ConfigMap, configMap } from './testing/memory-kube.ts';

const skip = (await clustersUnavailable()) ?? false;

test('on a real server that has forgotten our place (410), a fresh list brings all up to date', { skip }, async (t) => {
  const cluster = await ownCluster(t, { size: 'apiserver', name: 'informer' }, t.signal);
  const stage = await FaultStage.set({ cluster, random: seededRandom(testSeed()), signal: t.signal });
  const place = { resource: CORE.configMaps, namespace: stage.namespace };
  const { line, client } = await stage.behindLine();
  const { log, lines } = memoryLogger();
  const informers = new InformerFactory({ client, log, random: () => 0.02 });
  const informer = informers.informer<ConfigMap>(place);
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  const names = (): (string | undefined)[] => informer.cache.list().map(({ metadata }) => metadata.name);
  await stage.direct.create(place, configMap('goes'), {}, t.signal);
  await waitFor(() => assert.deepEqual(names(), ['goes']), t.signal);
  line.block();
  await stage.direct.delete({ ...place, name: 'goes' }, {}, t.signal);
  await stage.direct.create(place, configMap('comes'), {}, t.signal);
  // After a restart the server knows nothing of what happened before it.
  await cluster.restart();
  line.open();
  await waitFor(() => assert.deepEqual(names(), ['comes']), t.signal);
  const codes = lines.map(({ err }) => (err as { code: string }).code);
  assert.ok(codes.includes('EXPIRED'), `met ${codes.join(', ')}`);
  stop.abort();
  await running;
  await stage.close();
});
