import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BACK_OFF, DONE, type Result } from '#kit/reconcile';
import { createMetrics } from '#kit/telemetry/metrics';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeClock } from '#testing/fake-clock';
import { InformerFactory } from '../cache/informer-factory.ts';
import type { ObjectKey } from '../cache/object-store.ts';
import { type ConfigMap, configMap, type MemoryFaults, MemoryKube } from '../cache/testing/memory-kube.ts';
import { CORE } from '../client/core-resources.ts';
import type { KubeObject, OwnerReference } from '../client/kube-object.ts';
import { KubeError } from '../kube-error.ts';
import { ControllerBuilder, type ControllerDeps } from './controller-builder.ts';
import { createControllerMetrics } from './controller-metrics.ts';
import { Expectations } from './expectations.ts';
import { formatKey } from './object-key.ts';
import { generationChanged } from './predicates.ts';

const signal = new AbortController().signal;
const owners = { resource: CORE.configMaps, namespace: 'here' };
const children = { resource: CORE.secrets, namespace: 'here' };

function child(name: string, owner?: Partial<OwnerReference>): KubeObject {
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '1', controller: true, ...owner };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, ownerReferences: [reference] } };
}

function setUp(options: Partial<ControllerDeps> = {}, faults: MemoryFaults = {}) {
  const clock = new FakeClock();
  const kube = new MemoryKube();
  const client = kube.client();
  const ports = { clock, sleep: clock.sleep, random: () => 0.5 };
  const informers = new InformerFactory({ client: kube.client(faults), ...ports });
  const { log, lines } = memoryLogger();
  const seen: string[] = [];
  const stop = new AbortController();
  return {
    clock,
    kube,
    client,
    informers,
    lines,
    seen,
    builder: new ControllerBuilder({ name: 'owners', informers, log, ...ports, ...options }),
    /** Reconciles as specified and records the keys, until the test is over. */
    start: async (
      builder: ControllerBuilder,
      act: (key: ObjectKey) => Promise<Result> = () => Promise.resolve(DONE),
    ) => {
      const controller = builder.reconcile((key) => {
        seen.push(formatKey(key));
        return act(key);
      });
      const below = new AbortController();
      const running = informers.run(below.signal);
      const done = controller.run(stop.signal);
      await settle();
      return async () => {
        stop.abort();
        await done;
        below.abort();
        await running;
        assert.equal(clock.sleeping, 0, 'no wait is left behind');
      };
    },
  };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await turn();
}

test('all that is there is looked at, then what changes, by itself or by what it owns', async () => {
  const { client, builder, seen, start } = setUp();
  await client.create(owners, configMap('a'), {}, signal);
  await client.create(owners, configMap('b'), {}, signal);
  const end = await start(builder.for(CORE.configMaps).owns(CORE.secrets));
  assert.deepEqual(seen.splice(0), ['here/a', 'here/b']);
  await client.create(children, child('one'), {}, signal);
  await settle();
  assert.deepEqual(seen.splice(0), ['here/a']);
  for (const [why, owner] of [
    ['of another kind', { kind: 'Deployment' }],
    ['of another group', { apiVersion: 'apps/v1' }],
    ['not its controller', { controller: false }],
  ] as const) {
    await client.create(children, child(why.replaceAll(' ', '-'), owner), {}, signal);
    await settle();
    assert.deepEqual(seen.splice(0), [], why);
  }
  const one = await client.get({ ...children, name: 'one' }, signal);
  const moved = { ...one, metadata: { ...one.metadata, ...child('one', { name: 'b' }).metadata } };
  await client.replace({ ...children, name: 'one' }, moved, {}, signal);
  await settle();
  assert.deepEqual(seen.splice(0), ['here/a', 'here/b'], 'whom it left and whom it joined');
  await client.delete({ ...owners, name: 'b' }, {}, signal);
  await settle();
  assert.deepEqual(seen, ['here/b']);
  await end();
});

test('a mapper says whom a change concerns, and predicates which changes', async () => {
  const { client, builder, seen, start } = setUp();
  const end = await start(
    builder
      .for(CORE.configMaps, { predicates: [generationChanged] })
      .watches<ConfigMap>(CORE.secrets, ({ data }) => (data?.['for'] ?? '').split(',').map((name) => ({ name }))),
  );
  await client.create(owners, configMap('a'), {}, signal);
  await settle();
  const a = await client.get<ConfigMap>({ ...owners, name: 'a' }, signal);
  await client.replace({ ...owners, name: 'a' }, { ...a, data: { status: 'x' } }, {}, signal);
  await settle();
  assert.deepEqual(seen.splice(0), ['here/a'], 'the change has no new generation');
  await client.create(children, { ...configMap('s', { for: 'x,y' }), kind: 'Secret' }, {}, signal);
  await settle();
  assert.deepEqual(seen, ['x', 'y']);
  await end();
});

test('keys can be woken by another part, and wait as it says', async () => {
  const { client, clock, informers, builder, seen } = setUp();
  const calls: string[] = [];
  let wakeFromOutside: ((name: string) => void) | undefined;
  await client.create(owners, configMap('a'), {}, signal);
  builder.for(CORE.configMaps).wokenBy((wake) => {
    wakeFromOutside = (name) => wake({ namespace: 'here', name });
    return () => calls.push('ended');
  });
  const controller = builder.reconcile((key) => {
    seen.push(formatKey(key));
    return Promise.resolve(DONE);
  });
  const [below, stop] = [new AbortController(), new AbortController()];
  controller.wake({ namespace: 'here', name: 'early' });
  const running = [informers.run(below.signal), controller.run(stop.signal)];
  await settle();
  assert.deepEqual(seen.splice(0), ['here/early', 'here/a'], 'the first list waits behind what was woken');
  wakeFromOutside?.('b');
  await settle();
  controller.wake({ namespace: 'here', name: 'late' }, { afterMs: 10 });
  await settle();
  assert.deepEqual(seen.splice(0), ['here/b']);
  await clock.advance(10);
  assert.deepEqual(seen, ['here/late']);
  stop.abort();
  await running[1];
  below.abort();
  await running[0];
  assert.deepEqual(calls, ['ended']);
});

test('changes that come together can be one reconcile', async () => {
  const { client, clock, builder, seen, start } = setUp();
  const isLast = { afterMs: ({ now }: { readonly now: KubeObject | undefined }) => (now === undefined ? 20 : 0) };
  const mapper = (): ObjectKey[] => [{ namespace: 'here', name: 'a' }];
  const end = await start(builder.for(CORE.configMaps).watches(CORE.secrets, mapper, isLast));
  for (const name of ['one', 'two']) await client.create(children, child(name), {}, signal);
  await settle();
  assert.deepEqual(new Set(seen.splice(0)), new Set(['here/a']));
  for (const name of ['one', 'two']) await client.delete({ ...children, name }, {}, signal);
  await settle();
  assert.deepEqual(seen, []);
  await clock.advance(20);
  assert.deepEqual(seen, ['here/a']);
  await end();
});

test('without a limit it waits for its first lists for as long as they take', async () => {
  const { clock, builder, seen } = setUp({ syncWithinMs: Number.POSITIVE_INFINITY });
  const stop = new AbortController();
  const running = builder
    .for(CORE.configMaps)
    .reconcile(() => Promise.resolve(DONE))
    .run(stop.signal);
  await clock.advance(3_600_000);
  assert.deepEqual(seen, []);
  stop.abort(new Error('stop'));
  await assert.rejects(running, { message: 'stop' });
});

test('what the first list brings waits behind what happens', async () => {
  const { client, builder, seen, start } = setUp();
  for (const name of ['a', 'b', 'c']) await client.create(owners, configMap(name), {}, signal);
  const gate = Promise.withResolvers<Result>();
  const end = await start(builder.for(CORE.configMaps), () => gate.promise);
  await client.create(owners, configMap('new'), {}, signal);
  await settle();
  gate.resolve(DONE);
  await settle();
  assert.deepEqual(seen, ['here/a', 'here/new', 'here/b', 'here/c']);
  await end();
});

test('a stale cache makes no duplicate: a key waits for what was made for it', async () => {
  const clock = new FakeClock();
  const expectations = new Expectations({ clock, timeoutMs: 60_000 });
  const late = Promise.withResolvers<void>();
  // The watch of owned objects reports nothing until the gate opens.
  const faults: MemoryFaults = {
    after: ({ verb, plural }) => (verb === 'watch' && plural === 'secrets' ? late.promise : Promise.resolve()),
  };
  const { client, informers, builder, seen, start } = setUp({ expectations }, faults);
  const { cache } = informers.informer({ resource: CORE.secrets });
  const { name: _, ...metadata } = child('x').metadata;
  const unnamed = { ...child('x'), metadata: { ...metadata, generateName: 'x-' } };
  await client.create(owners, configMap('a'), {}, signal);
  const end = await start(builder.for(CORE.configMaps).owns(CORE.secrets), async (key) => {
    seen.push(`shows ${cache.size}`);
    if (cache.size > 0) return DONE;
    await expectations.create(key, unnamed, (it) => client.create(children, it, {}, signal));
    return DONE;
  });
  for (let poke = 0; poke < 3; poke += 1) {
    const a = await client.get<ConfigMap>({ ...owners, name: 'a' }, signal);
    await client.replace({ ...owners, name: 'a' }, { ...a, data: { poke: String(poke) } }, {}, signal);
    await settle();
  }
  assert.deepEqual(seen.splice(0), ['here/a', 'shows 0']);
  late.resolve();
  await settle();
  assert.deepEqual(seen, ['here/a', 'shows 1'], 'and goes on when the cache has it');
  assert.equal((await client.list(children, {}, signal)).items.length, 1);
  await end();
});

test('a conflict is tried again and is nobody’s failure', async () => {
  const { client, clock, builder, seen, lines, start } = setUp();
  await client.create(owners, configMap('a'), {}, signal);
  const results = [new KubeError('CONFLICT', 'x'), BACK_OFF];
  const end = await start(builder.for(CORE.configMaps), () => {
    const next = results.shift() ?? DONE;
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  });
  await clock.advance(1_000);
  assert.deepEqual(seen, ['here/a', 'here/a', 'here/a']);
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['info'],
  );
  await end();
});

test('everything is looked at again at each resync', async () => {
  const { client, clock, builder, seen, start } = setUp({ resyncMs: 10_000 });
  for (const name of ['a', 'b']) await client.create(owners, configMap(name), {}, signal);
  const end = await start(builder.for(CORE.configMaps));
  seen.splice(0);
  await clock.advance(11_000);
  assert.deepEqual(seen.toSorted(), ['here/a', 'here/b']);
  await end();
});

test('without its first lists it does not start, and says so', async () => {
  const { clock, builder } = setUp({ syncWithinMs: 5_000 });
  const controller = builder.for(CORE.configMaps).reconcile(() => Promise.resolve(DONE));
  const failed = assert.rejects(controller.run(signal), { code: 'CACHE_NOT_SYNCED' });
  await clock.advance(5_000);
  await failed;
  assert.equal(clock.sleeping, 0);
});

test('a stop while it waits for its first lists is heeded', async () => {
  const { clock, builder } = setUp();
  const stop = new AbortController();
  const controller = builder.for(CORE.configMaps).reconcile(() => Promise.resolve(DONE));
  const running = controller.run(stop.signal);
  stop.abort(new Error('stop'));
  await assert.rejects(running, { message: 'stop' });
  assert.equal(clock.sleeping, 0);
});

test('one that is for nothing cannot be built', () => {
  const nothing = { code: 'NOTHING_TO_RECONCILE' };
  assert.throws(() => setUp().builder.owns(CORE.secrets), nothing);
  assert.throws(() => setUp().builder.reconcile(() => Promise.resolve(DONE)), nothing);
});

test('metrics have the names and labels that dashboards for controller-runtime ask for', async () => {
  const metrics = createMetrics();
  const { client, clock, builder, start } = setUp({ metrics: createControllerMetrics(metrics), concurrency: 3 });
  for (const name of ['a', 'b', 'c']) await client.create(owners, configMap(name), {}, signal);
  const slow = Promise.withResolvers<Result>();
  const end = await start(builder.for(CORE.configMaps), ({ name }) => {
    if (name === 'a') return Promise.reject(new Error('no'));
    return name === 'b' ? slow.promise : Promise.resolve(DONE);
  });
  await clock.advance(1_000);
  const text = (await metrics.text()).split('\n');
  for (const line of [
    'controller_runtime_reconcile_total{controller="owners",result="success"} 1',
    'controller_runtime_reconcile_total{controller="owners",result="requeue"} 0',
    'controller_runtime_reconcile_total{controller="owners",result="requeue_after"} 0',
    'controller_runtime_terminal_reconcile_errors_total{controller="owners"} 0',
    'controller_runtime_max_concurrent_reconciles{controller="owners"} 3',
    'controller_runtime_active_workers{controller="owners"} 1',
    'workqueue_depth{name="owners",controller="owners",priority="-100"} 0',
    'workqueue_longest_running_processor_seconds{name="owners",controller="owners"} 1',
    'workqueue_unfinished_work_seconds{name="owners",controller="owners"} 1',
  ]) {
    assert.ok(text.includes(line), `${line} is not in\n${text.join('\n')}`);
  }
  for (const name of [
    'controller_runtime_reconcile_errors_total{',
    'controller_runtime_reconcile_time_seconds_bucket{',
    'workqueue_adds_total{',
    'workqueue_retries_total{',
    'workqueue_queue_duration_seconds_bucket{',
    'workqueue_work_duration_seconds_bucket{',
  ]) {
    assert.ok(
      text.some((line) => line.startsWith(name) && line.includes('controller="owners"')),
      name,
    );
  }
  slow.resolve(DONE);
  await end();
});
