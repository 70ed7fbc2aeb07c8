import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { SourceEvent } from '#contexts/resource-index';
import { CORE, createKubeClient, type KubeClient, type KubeObject } from '#kit/kube';
import { FakeApiServer } from '#kit/kube/testing';
import { sleep } from '#kit/std';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { KubeObjectSource, type SourcePace } from './kube-object-source.ts';

const PACE = { againBaseMs: 1, againCapMs: 5, refusedMs: 20, watchSeconds: 60, chunk: 3 };
const MAPS = 'v1/ConfigMap';
const PATH = '/api/v1/configmaps';
const ref = (name: string) => ({ resource: CORE.configMaps, namespace: 'default', name });

interface Stage {
  readonly fake: FakeApiServer;
  readonly client: KubeClient;
  readonly said: readonly string[];
  readonly has: (...words: readonly string[]) => Promise<void>;
}

async function stage(t: TestContext, before: readonly string[] = [], pace: Partial<SourcePace> = {}): Promise<Stage> {
  const fake = await FakeApiServer.start();
  const client = createKubeClient({ config: fake.config });
  for (const name of before) fake.put(CORE.configMaps, map(name));
  const source = new KubeObjectSource({ client, sleep, random: () => 0.5, pace: { ...PACE, ...pace } });
  const said: string[] = [];
  const over = new AbortController();
  const following = (async () => {
    for await (const event of source.follow(MAPS, over.signal)) said.push(wordOf(event));
  })();
  t.after(async () => {
    over.abort();
    await following.catch(() => {});
    await client.close();
    await fake.close();
  });
  const has = async (...words: readonly string[]): Promise<void> => {
    await eventually(words.join(), () => words.every((word) => said.includes(word)), 60_000);
  };
  return { fake, client, said, has };
}

function map(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };
}

function wordOf(event: SourceEvent): string {
  switch (event.kind) {
    case 'object':
      return `+${event.object.key.name}`;
    case 'gone':
      return `-${event.key.name}`;
    case 'state':
      return event.state;
    case 'listing':
    case 'listed':
      return event.kind;
  }
}

const signal = new AbortController().signal;

function watchesOf(fake: FakeApiServer): number {
  return fake.requests.filter(({ watch }) => watch).length;
}

/** Changes made meanwhile are not seen, and the server has already forgotten them. */
async function forgets(fake: FakeApiServer, meanwhile: () => Promise<unknown>): Promise<void> {
  await eventually('a watch', () => fake.watches > 0);
  const begins = Promise.withResolvers<void>();
  fake.inject({ action: { kind: 'wait', until: begins.promise }, matches: ({ watch }) => watch });
  fake.endWatches();
  await meanwhile();
  fake.compact();
  begins.resolve();
}

describe('the objects of a cluster', () => {
  it('are listed in chunks, and then watched', async (t) => {
    const { fake, client, said, has } = await stage(t, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    await has('listed');
    assert.deepEqual(said, ['listing', '+a', '+b', '+c', '+d', '+e', '+f', '+g', 'listed']);
    await eventually('a watch', () => fake.watches > 0);
    fake.put(CORE.configMaps, map('h'));
    await client.delete(ref('a'), {}, signal);
    await has('+h', '-a');
    const lists = fake.requests.filter(({ path, watch }) => path === PATH && !watch);
    assert.equal(lists.length, 3);
  });

  it('are watched again from where it was, without a list, when the server ends a watch or it is cut', async (t) => {
    const { fake, said, has } = await stage(t, ['a']);
    await eventually('a watch', () => fake.watches > 0);
    fake.bookmark();
    const before = watchesOf(fake);
    fake.endWatches();
    await eventually('another watch', () => watchesOf(fake) > before);
    fake.put(CORE.configMaps, map('b'));
    await has('+b');
    fake.cutConnections();
    fake.put(CORE.configMaps, map('c'));
    await has('+c');
    assert.equal(said.filter((word) => word === 'listing').length, 1);
  });

  it('are listed anew when the server has forgotten where it was', async (t) => {
    const { fake, client, said, has } = await stage(t, ['a', 'b']);
    await forgets(fake, () => client.delete(ref('a'), {}, signal));
    await eventually('a second list', () => said.filter((word) => word === 'listed').length === 2);
    assert.deepEqual(said.slice(said.lastIndexOf('listing')), ['listing', '+b', 'listed']);
    await has('listed');
  });

  it('are never said to be all when the list broke off', async (t) => {
    const { fake, client, said, has } = await stage(t, ['a', 'b', 'c', 'd', 'e', 'f']);
    await has('listed');
    const isSecondPage = ({ query }: { query: URLSearchParams }): boolean => query.has('continue');
    fake.inject({ action: { kind: 'status', httpStatus: 500 }, matches: isSecondPage });
    await forgets(fake, () => client.delete(ref('f'), {}, signal));
    await eventually('it is whole', () => said.filter((word) => word === 'listed').length === 2, 60_000);
    const torn = said.slice(said.indexOf('listing', 1), said.lastIndexOf('listing'));
    assert.deepEqual(torn, ['listing', '+a', '+b', '+c'], 'and it began anew');
  });

  it('that may not be read are said to be so, until they may', async (t) => {
    const { fake, client, has, said } = await stage(t, ['a', 'b']);
    await has('listed');
    const isList = ({ path, watch }: { path: string; watch: boolean }): boolean => path === PATH && !watch;
    fake.inject({ action: { kind: 'status', httpStatus: 403, reason: 'Forbidden' }, matches: isList, times: 3 });
    await forgets(fake, () => client.delete(ref('b'), {}, signal));
    await has('Forbidden');
    await eventually('it may', () => said.lastIndexOf('listed') > said.lastIndexOf('Forbidden'), 60_000);
    assert.equal(said.includes('-a'), false, 'who may not look does not know what is gone');
  });
});

describe('a kind that a cluster does not know', () => {
  async function saidOf(t: TestContext, apiService: number | undefined): Promise<readonly string[]> {
    const fake = await FakeApiServer.start();
    const client = createKubeClient({ config: fake.config });
    t.after(async () => {
      await client.close();
      await fake.close();
    });
    if (apiService !== undefined) {
      const matches = ({ path }: { path: string }): boolean => path.includes('apiservices');
      fake.inject({ action: { kind: 'status', httpStatus: apiService }, matches, times: 100 });
    }
    const source = new KubeObjectSource({ client, sleep, random: () => 0.5, pace: PACE });
    const said: string[] = [];
    for await (const event of source.follow('shop.test/v1/Widget', signal)) {
      said.push(wordOf(event));
      if (event.kind === 'state') break;
    }
    return said;
  }

  it('has no objects when nobody serves its group', async (t) => {
    assert.deepEqual(await saidOf(t, 404), ['listing', 'listed', 'NotServed']);
  });

  it('may have some when nobody can tell', async (t) => {
    assert.deepEqual(await saidOf(t, 403), ['NotServed']);
  });
});
