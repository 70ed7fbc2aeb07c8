import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { memoryLogger } from '#kit/telemetry/testing';
import { clustersUnavailable, type OwnClusterOptions, ownCluster, type TestCluster } from '#testing/clusters';
import { seededRandom, testSeed } from '#testing/seeded';
import { CORE } from '../client/core-resources.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { listAll } from '../client/list-all.ts';
import { waitFor } from '../testing/wait-for.ts';
import { InformerFactory } from './informer-factory.ts';
import { FaultStage } from './testing/fault-stage.ts';
import { type ConfigMap, configMap } from './testing/memory-kube.ts';

describe('a real server that has forgotten our place (410)', { skip: (await clustersUnavailable()) ?? false }, () => {
  const cases: { why: string; options: Partial<OwnClusterOptions>; forget: (cluster: TestCluster) => Promise<void> }[] =
    [
      {
        why: 'after a restart, since its cache begins there',
        options: {},
        forget: (cluster) => cluster.restart(),
      },
      {
        why: 'since its store was compacted',
        options: { ownEtcd: true, apiServerFlags: ['--watch-cache=false'] },
        forget: (cluster) => cluster.compact(),
      },
    ];
  for (const { why, options, forget } of cases) {
    it(`${why}: a fresh list brings all up to date`, async (t) => {
      const { cluster, stage, place } = await setStage(t, options);
      const { line, client } = await stage.behindLine();
      const { log, lines } = memoryLogger();
      const informers = new InformerFactory({ client, log, random: () => 0.02 });
      const informer = informers.informer<ConfigMap>(place, { labelSelector: 'mine' });
      const stop = new AbortController();
      const running = informers.run(stop.signal);
      const names = (): (string | undefined)[] => informer.cache.list().map(({ metadata }) => metadata.name);
      await stage.direct.create(place, mine('goes'), {}, t.signal);
      await waitFor(() => assert.deepEqual(names(), ['goes']), t.signal);
      line.block();
      await stage.direct.delete({ ...place, name: 'goes' }, {}, t.signal);
      await stage.direct.create(place, mine('comes'), {}, t.signal);
      await forget(cluster);
      line.open();
      await waitFor(() => assert.deepEqual(names(), ['comes']), t.signal);
      const codes = lines.map(({ err }) => (err as { code: string }).code);
      assert.ok(codes.includes('EXPIRED'), `met ${codes.join(', ')}`);
      stop.abort();
      await running;
    });
  }

  it('half way through a list, since its store was compacted: the list is had in one piece', async (t) => {
    const { cluster, stage, place } = await setStage(t, { ownEtcd: true, apiServerFlags: ['--watch-cache=false'] });
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await stage.direct.create(place, mine(name), {}, t.signal);
    let lists = 0;
    const list: KubeClient['list'] = async (...args) => {
      lists += 1;
      try {
        return await stage.direct.list(...args);
      } finally {
        if (lists === 1) {
          await stage.direct.create(place, mine('e'), {}, t.signal);
          await cluster.compact();
        }
      }
    };
    const all = await listAll({ list }, place, { chunk: 2, labelSelector: 'mine' }, t.signal);
    assert.deepEqual(
      all.items.map(({ metadata }) => metadata.name),
      [...names, 'e'],
    );
    assert.equal(lists, 3, 'the first page, the second that was refused, and all');
  });
});

async function setStage(t: TestContext, options: Partial<OwnClusterOptions>) {
  const cluster = await ownCluster(t, { size: 'apiserver', name: 'informer', ...options }, t.signal);
  const stage = await FaultStage.set({ cluster, random: seededRandom(testSeed()), signal: t.signal });
  t.after(() => stage.close());
  return { cluster, stage, place: { resource: CORE.configMaps, namespace: stage.namespace } };
}

function mine(name: string): ConfigMap {
  const { metadata, ...rest } = configMap(name);
  return { ...rest, metadata: { ...metadata, labels: { mine: 'yes' } } };
}
