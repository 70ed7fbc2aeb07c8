import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeClock } from '#testing/fake-clock';
import { KubeError } from '../kube-error.ts';
import { type InformerOptions, ListWatchInformer } from './informer.ts';
import { CONFIG_MAPS, type ConfigMap, configMap, type MemoryFaults, MemoryKube } from './testing/memory-kube.ts';
import { dropManagedFields } from './trim.ts';

const signal = new AbortController().signal;
const collection = { resource: CONFIG_MAPS, namespace: 'here' };

function setUp(faults: MemoryFaults = {}, options: Partial<InformerOptions<ConfigMap>> = {}) {
  const kube = new MemoryKube();
  const server = kube.client();
  const clock = new FakeClock();
  const { log, lines } = memoryLogger();
  const deps = { client: kube.client(faults), clock, sleep: clock.sleep, random: () => 0.5, log };
  const informer = new ListWatchInformer<ConfigMap>(deps, { collection, trim: dropManagedFields, ...options });
  const told: string[] = [];
  informer.onChange(({ old, now, initial }) => {
    const version = (object: ConfigMap | undefined): string => object?.data?.['v'] ?? '-';
    const name = now?.metadata.name ?? old?.metadata.name;
    told.push(`${name} ${version(old)}>${version(now)}${initial ? ' initial' : ''}`);
  });
  const stop = new AbortController();
  return {
    kube,
    clock,
    lines,
    informer,
    told,
    start: () => {
      const done = informer.run(stop.signal);
      return async () => {
        stop.abort(new Error('stop'));
        await assert.rejects(done, { message: 'stop' });
        assert.equal(clock.sleeping, 0, 'no wait is left behind');
        assert.equal(kube.watches, 0, 'no watch is left behind');
      };
    },
    create: (name: string, v: string) => server.create(collection, configMap(name, { v }), {}, signal),
    update: async (name: string, v: string) => {
      const now = await server.get<ConfigMap>({ ...collection, name }, signal);
      await server.replace({ ...collection, name }, { ...now, data: { v } }, {}, signal);
    },
    remove: (name: string) => server.delete({ ...collection, name }, {}, signal),
  };
}

test('a list in pages, then what happens', async () => {
  const { informer, told, start, create, update, remove } = setUp({}, { pageSize: 2 });
  for (const name of ['a', 'b', 'c']) await create(name, '1');
  const stop = start();
  await informer.synced(signal);
  assert.deepEqual(told.splice(0), ['a ->1 initial', 'b ->1 initial', 'c ->1 initial']);
  await create('d', '1');
  await update('a', '2');
  await remove('b');
  await turn();
  assert.deepEqual(told, ['d ->1', 'a 1>2', 'b 1>-']);
  assert.deepEqual(
    informer.cache.list().map(({ metadata }) => metadata.name),
    ['a', 'c', 'd'],
  );
  assert.equal(informer.cache.get({ namespace: 'here', name: 'a' })?.data?.['v'], '2');
  assert.equal(informer.cache.get({ namespace: 'there', name: 'a' }), undefined);
  await stop();
});

test('a handler that comes late is told what there is, and one that left nothing more', async () => {
  const { informer, start, create } = setUp();
  await create('a', '1');
  const stop = start();
  await informer.synced(signal);
  const late: (string | undefined)[] = [];
  const leave = informer.onChange(({ now, initial }) => late.push(`${now?.metadata.name} ${initial}`));
  await create('b', '1');
  await turn();
  leave();
  await create('c', '1');
  await turn();
  assert.deepEqual(late, ['a true', 'b false']);
  await stop();
});

for (const how of ['end', 'cut'] as const) {
  test(`a watch that the server ${how === 'end' ? 'ends' : 'loses'} is resumed where it was, and nothing is told twice`, async () => {
    const { kube, clock, informer, told, start, create } = setUp();
    const stop = start();
    await informer.synced(signal);
    await create('a', '1');
    await turn();
    kube.end(how);
    await create('b', '1');
    await turn();
    if (how === 'cut') await clock.advance(500);
    assert.deepEqual(told, ['a ->1', 'b ->1']);
    await stop();
  });
}

test('after 410 a fresh list replaces everything, and tells what vanished, changed, came, and was made anew', async () => {
  const { kube, clock, informer, told, start, create, update, remove } = setUp();
  for (const name of ['stays', 'changes', 'goes', 'again']) await create(name, '1');
  const stop = start();
  await informer.synced(signal);
  told.splice(0);
  kube.end('cut');
  await turn();
  await update('changes', '2');
  await remove('goes');
  await remove('again');
  await create('again', '1');
  await create('comes', '1');
  kube.compact();
  await clock.advance(5_000);
  assert.deepEqual(told.toSorted(), ['again ->1', 'again 1>-', 'changes 1>2', 'comes ->1', 'goes 1>-']);
  assert.equal(informer.cache.size, 4);
  await stop();
});

test('a bookmark moves the place where the next watch begins', async () => {
  const { kube, informer, told, lines, start, create } = setUp();
  const stop = start();
  await informer.synced(signal);
  const other = kube.client();
  await other.create({ resource: CONFIG_MAPS, namespace: 'there' }, configMap('x'), {}, signal);
  kube.bookmark();
  await turn();
  kube.compact();
  kube.end('end');
  await turn();
  await create('a', '1');
  await turn();
  assert.deepEqual(told, ['a ->1']);
  assert.deepEqual(lines, [], 'without the bookmark it would have been 410');
  await stop();
});

test('pages that expired half way are had anew in one piece', async () => {
  let lists = 0;
  const { kube, informer, told, start, create } = setUp(
    {
      after: async ({ verb }) => {
        if (verb !== 'list' || ++lists > 1) return;
        await create('d', '1');
        kube.compact();
      },
    },
    { pageSize: 2 },
  );
  for (const name of ['a', 'b', 'c']) await create(name, '1');
  const stop = start();
  await informer.synced(signal);
  assert.deepEqual(
    told.map((line) => line[0]),
    ['a', 'b', 'c', 'd'],
  );
  await stop();
});

test('a server that refuses is asked again after growing waits, and the log says why', async () => {
  const at: number[] = [];
  const { clock, lines, start } = setUp({
    before: () => {
      at.push(clock.now());
      return Promise.reject(new KubeError('FORBIDDEN', 'list configmaps'));
    },
  });
  const stop = start();
  await clock.untilSleeping();
  await clock.advance(4_000);
  assert.deepEqual(
    at.map((time, index) => time - (at[index - 1] ?? time)),
    [0, 250, 500, 1_000, 2_000],
  );
  assert.equal((lines[0]?.['err'] as { code?: string } | undefined)?.code, 'FORBIDDEN');
  await stop();
});

test('a watch that ends at once, again and again, is not asked for without a pause', async () => {
  let watches = 0;
  const { kube, clock, informer, start } = setUp({
    before: async ({ verb }) => {
      if (verb !== 'watch') return;
      watches += 1;
      setImmediate(() => kube.end('end'));
      await Promise.resolve();
    },
  });
  const stop = start();
  await informer.synced(signal);
  await clock.untilSleeping(1);
  for (let round = 0; round < 20; round += 1) await clock.advance(500);
  assert.ok(watches > 2 && watches < 10, `${watches} watches in 10 s`);
  await stop();
});

test('a watch that goes on in silence after its time is cut and resumed', async () => {
  let hung = 0;
  const { clock, informer, told, lines, start, create } = setUp(
    {
      // The first watch is accepted and then stays silent.
      before: async ({ verb }, aborted) => {
        if (verb !== 'watch' || ++hung > 1) return;
        await new Promise((_, reject) => aborted.addEventListener('abort', () => reject(aborted.reason)));
      },
    },
    { watchSeconds: 40, stallGraceMs: 10_000 },
  );
  const stop = start();
  await informer.synced(signal);
  await create('a', '1');
  await clock.advance(39_999);
  assert.deepEqual(told, []);
  await clock.advance(1_000);
  assert.deepEqual(told, ['a ->1']);
  assert.equal((lines[0]?.['err'] as { code?: string } | undefined)?.code, 'WATCH_STALLED');
  await stop();
});

test('what is kept is trimmed and frozen, so that nobody can change what all share', async () => {
  const { kube, informer, start } = setUp();
  const managed = { ...configMap('a', { v: '1' }), metadata: { name: 'a', managedFields: [{ manager: 'me' }] } };
  await kube.client().create(collection, managed, {}, signal);
  const stop = start();
  await informer.synced(signal);
  const kept = informer.cache.get({ namespace: 'here', name: 'a' });
  assert.equal(kept?.metadata.managedFields, undefined);
  assert.throws(() => Object.assign(kept?.data ?? {}, { v: '2' }), TypeError);
  await stop();
});

test('a handler that throws harms nobody else', async () => {
  const { informer, told, lines, start, create } = setUp();
  informer.onChange(() => {
    throw new Error('boom');
  });
  const stop = start();
  await informer.synced(signal);
  await create('a', '1');
  await create('b', '1');
  await turn();
  assert.deepEqual(told, ['a ->1', 'b ->1']);
  assert.equal(lines.length, 2);
  await stop();
});

test('waiting for the first list ends with its signal', async () => {
  const { informer } = setUp();
  await assert.rejects(informer.synced(AbortSignal.abort(new Error('enough'))), { message: 'enough' });
  assert.equal(informer.hasSynced, false);
});
