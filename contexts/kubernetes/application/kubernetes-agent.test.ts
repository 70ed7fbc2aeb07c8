import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { unlessAborted } from '#kit/std';
import { FakeClock } from '#testing/fake-clock';
import { PATIENCE_MS } from '#testing/patience';
import { type KubeObject, keyOf } from '../domain/kube-object.ts';
import { KubernetesError } from '../domain/kubernetes-error.ts';
import { deploymentUid, map, order, policy, removal, runAgent, TARGET } from '../testing/agent-scene.ts';
import { type FakePorts, fakePorts } from '../testing/fake-ports.ts';
import { pod } from '../testing/live-object.ts';
import type { ClusterPorts } from './ports.ts';

let signal: AbortSignal;

function dataOf(ports: FakePorts, name: string): object | undefined {
  return (ports.api.peek(keyOf(map(name))) as (KubeObject & { data: object }) | undefined)?.data;
}

describe('an agent of a cluster', () => {
  beforeEach(() => {
    signal = AbortSignal.timeout(PATIENCE_MS);
  });

  it('says nothing twice, and what is as it should be costs no write', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    await agent.dispatch(order(1, [map('a'), map('b')]), signal);
    await heard.until('health 1 Available', signal);
    const writes = ports.api.writes;
    await agent.dispatch(order(2, [map('a'), map('b')]), signal);
    await heard.until('health 2 Available', signal);
    assert.deepEqual(heard.lines, ['applied 1', 'health 1 Available', 'applied 2', 'health 2 Available']);
    assert.equal(ports.api.writes, writes);
  });

  it('has what it accepted: another agent goes on with it', async (t) => {
    const ports = fakePorts();
    const scopes: ClusterPorts['discovery']['scopes'] = async (_, stop) =>
      await unlessAborted(new Promise(() => {}), stop);
    const stuck: ClusterPorts = { ...ports, discovery: { ...ports.discovery, scopes } };
    const first = await runAgent(t, stuck);
    assert.deepEqual(await first.agent.dispatch(order(3, [map('a')]), signal), { kind: 'accepted' });
    await first.agent.drop(TARGET.id);
    const second = await runAgent(t, ports);
    await second.heard.until('health 3 Available', signal);
    assert.deepEqual(await second.agent.dispatch(order(2, []), signal), { kind: 'fenced', seen: 3 });
    const { holdings } = await second.agent.inventory(TARGET, signal);
    assert.deepEqual(
      holdings.map(({ revision, health }) => ({ revision, health })),
      [{ revision: 3, health: 'Available' }],
    );
  });

  it('accepts nothing that is not kept', async (t) => {
    const ports = fakePorts();
    const { agent } = await runAgent(t, ports);
    ports.orders.beforeWrite = () => {
      throw new Error('no');
    };
    await assert.rejects(agent.dispatch(order(1, [map('a')]), signal), { message: 'no' });
    ports.orders.beforeWrite = () => {};
    assert.deepEqual(await agent.dispatch(order(1, [map('a')]), signal), { kind: 'accepted' });
  });

  it('does not let one deployment wait for another that is stuck', async (t) => {
    const ports = fakePorts();
    const apply: FakePorts['api']['apply'] = async (object, options, stop) =>
      object.metadata.name?.startsWith('stuck')
        ? await unlessAborted(new Promise(() => {}), stop)
        : await ports.api.apply(object, options, stop);
    const api = { get: ports.api.get.bind(ports.api), delete: ports.api.delete.bind(ports.api), apply };
    const { agent, heard } = await runAgent(t, { ...ports, api });
    for (const number of [2, 3, 4]) {
      await agent.dispatch(order(1, [map(`stuck-${number}`)], { deployment: deploymentUid(number) }), signal);
    }
    await agent.dispatch(order(7, [map('a')]), signal);
    await heard.until('health 7 Available', signal);
  });

  it('says why it waits, and goes on once it can', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    const gadget = { apiVersion: 'a.io/v1', kind: 'Gadget', metadata: { name: 'g' } };
    await agent.dispatch(order(1, [gadget, map('a')]), signal);
    await heard.until('health 1 Unknown a.io/v1/Gadget is not served yet', signal);
    assert.deepEqual(
      heard.lines.filter((line) => line.startsWith('failed')),
      [],
    );
    ports.scopes.set('a.io/v1/Gadget', 'cluster');
    await heard.until('applied 1', signal);
    await heard.until('health 1 Available', signal);
  });

  it('says what is in the way once, tries again, and tells when it went well after all', async (t) => {
    const ports = fakePorts();
    const clock = new FakeClock();
    ports.api.applyAs('kubectl', map('a'));
    const { agent, heard } = await runAgent(t, ports, { clock, sleep: clock.sleep });
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until(/^failed 1 .*managed by kubectl/, signal);
    await clock.advance(120_000);
    assert.equal(heard.lines.length, 1, 'the same is not said again');
    ports.api.remove(keyOf(map('a')));
    await clock.advance(900_000);
    await heard.until('applied 1', signal);
  });

  it('takes the same order again that had come to nothing, at once, and tells again', async (t) => {
    const ports = fakePorts();
    ports.api.applyAs('kubectl', map('a'));
    const { agent, heard } = await runAgent(t, ports);
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until(/^failed 1/, signal);
    heard.clear();
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until(/^failed 1/, signal);
    ports.api.remove(keyOf(map('a')));
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('applied 1', signal);
  });

  it('tells of the content that is there, when the one that came in between was not begun', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('health 1 Available', signal);
    heard.clear();
    const [between, back] = [order(1, [map('b')]), order(1, [map('a')])];
    await Promise.all([agent.dispatch(between, signal), agent.dispatch(back, signal)]);
    await heard.until('applied 1', signal);
    await heard.until('health 1 Available', signal);
    assert.deepEqual([dataOf(ports, 'a'), dataOf(ports, 'b')], [{ a: '1' }, undefined]);
  });

  it('rejects what it never will take, and keeps what is there', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('applied 1', signal);
    await agent.dispatch(order(2, [policy({ mode: 'x' })]), signal);
    await heard.until(/^rejected 2 .*mode must be one of/, signal);
    const { holdings } = await agent.inventory(TARGET, signal);
    assert.equal(holdings[0]?.revision, 1);
  });

  it('gives one object to one of two deployments that want it at the same time', async (t) => {
    const { agent, heard } = await runAgent(t, fakePorts());
    const both = [1, 2].map((number) => order(number, [map('a')], { deployment: deploymentUid(number) }));
    await Promise.all(both.map(async (each) => await agent.dispatch(each, signal)));
    await heard.until(/^applied/, signal);
    await heard.until(/^failed \d .*belongs to the deployment/, signal);
  });

  it('stops between two objects when it is told to, and goes on when it is asked again', async (t) => {
    const ports = fakePorts();
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let applied = 0;
    const apply: FakePorts['api']['apply'] = async (object, options, stop) => {
      applied += 1;
      begun.resolve();
      await gate.promise;
      return await ports.api.apply(object, options, stop);
    };
    const api = { get: ports.api.get.bind(ports.api), delete: ports.api.delete.bind(ports.api), apply };
    const { agent, heard } = await runAgent(t, { ...ports, api });
    const many = Array.from({ length: 100 }, (_, index) => map(`m${index}`));
    await agent.dispatch(order(1, many), signal);
    await begun.promise;
    await agent.cancel(order(1, many), signal);
    gate.resolve();
    assert.deepEqual((await agent.inventory(TARGET, signal)).holdings, []);
    assert.ok(applied < 100);
    await agent.dispatch(order(1, many), signal);
    await heard.until('health 1 Available', signal);
    assert.ok(ports.api.peek(keyOf(map('m99'))));
  });

  it('removes, remembers what it has seen, and has nothing left', async (t) => {
    const ports = fakePorts();
    const { agent, heard, stop } = await runAgent(t, ports);
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('applied 1', signal);
    await agent.dispatch(removal(2), signal);
    await heard.until('removed 2', signal);
    assert.equal(dataOf(ports, 'a'), undefined);
    assert.deepEqual((await ports.orders.all(signal)).records, []);
    await stop();
    const next = await runAgent(t, ports);
    assert.deepEqual(await next.agent.dispatch(order(1, [map('a')]), signal), { kind: 'fenced', seen: 2 });
  });

  it('observes, and writes nothing; lets go, and touches nothing', async (t) => {
    const ports = fakePorts();
    ports.api.applyAs('kubectl', map('a', { a: '9' }));
    const writes = ports.api.writes;
    const { agent, heard } = await runAgent(t, ports);
    await agent.dispatch(order(1, [policy({ mode: 'observe' }), map('a'), map('b')]), signal);
    await heard.until('drift 1 change v1/ConfigMap/shop/a .data.a: "9" -> "1" | create v1/ConfigMap/shop/b', signal);
    await heard.until('health 1 Available observed only; 2 of 2 objects differ', signal);
    await heard.until('applied 1', signal);
    assert.equal(ports.api.writes, writes);
    await agent.dispatch(order(2, [policy({ onConflict: 'force' }), map('a')]), signal);
    await heard.until('health 2 Available', signal);
    await agent.dispatch(order(3, [policy({ mode: 'release' })]), signal);
    await heard.until('applied 3', signal);
    await agent.dispatch(removal(4), signal);
    await heard.until('removed 4', signal);
    assert.deepEqual(dataOf(ports, 'a'), { a: '1' });
  });

  it('says how workloads are, and why, whenever that changes', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 1 } };
    await agent.dispatch(order(1, [web]), signal);
    await heard.until(/^health 1 Progressing apps\/v1\/Deployment\/shop\/web:/, signal);
    const metadata = { name: 'web', namespace: 'shop', labels: { 'fleetshift.io/deployment': deploymentUid() } };
    const say = (status: object): void => {
      const object = { ...web, metadata, spec: {}, status } as unknown as KubeObject;
      ports.api.applyAs('controller', object, { force: true });
    };
    ports.watch.pods.set('apps/v1/Deployment/shop/web', [pod({ reason: 'CrashLoopBackOff' })]);
    say({ observedGeneration: 0, replicas: 1 });
    await heard.until(/^health 1 Degraded .*container web keeps crashing/, signal);
    say({ observedGeneration: 0, replicas: 1, updatedReplicas: 1, availableReplicas: 1 });
    await heard.until('health 1 Available', signal);
  });

  it('tells what an order would do, masks secrets, and leaves no trace', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    const secret = (token: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { token } });
    await agent.dispatch(order(1, [map('a'), map('b'), secret('b25l')]), signal);
    await heard.until('health 1 Available', signal);
    const writes = ports.api.writes;
    const preview = await agent.preview(order(2, [map('b', { a: '2' }), map('c'), secret('dHdv')]), signal);
    assert.equal(preview?.kind, 'wouldApply');
    assert.deepEqual(preview?.changes, [
      'delete v1/ConfigMap/shop/a',
      'change v1/ConfigMap/shop/b',
      '  .data.a: "1" -> "2"',
      'create v1/ConfigMap/shop/c',
      'change v1/Secret/shop/s',
      '  .data.token: changed',
    ]);
    ports.api.applyAs('kubectl', map('theirs'));
    const refused = await agent.preview(order(2, [map('theirs')]), signal);
    assert.match(`${refused?.kind} ${refused?.message}`, /^wouldReject .*managed by kubectl/);
    assert.deepEqual((await agent.preview(removal(2), signal))?.changes.length, 3);
    assert.equal(ports.api.writes, writes + 1);
    assert.deepEqual(await agent.dispatch(order(1, [map('a')]), signal), { kind: 'accepted' }, 'it has seen nothing');
  });

  it('keeps one that cannot be read from harming others, and says so', async (t) => {
    const ports = fakePorts();
    const deployment = deploymentUid(2);
    const corrupt = {
      deployment,
      error: new KubernetesError('RECORD_TORN', 'read the inventory of two: it is corrupt'),
    };
    const inventories = {
      all: async (stop: AbortSignal) => ({ ...(await ports.inventories.all(stop)), corrupt: [corrupt] }),
      save: ports.inventories.save.bind(ports.inventories),
      others: ports.inventories.others.bind(ports.inventories),
    };
    const { agent, heard } = await runAgent(t, { ...ports, inventories });
    await agent.dispatch(order(5, [map('b')], { deployment }), signal);
    await heard.until(/^failed 5 .*corrupt/, signal);
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('applied 1', signal);
  });

  it('says nothing more of a cluster that was taken from it', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('health 1 Available', signal);
    await agent.drop(TARGET.id);
    heard.clear();
    ports.api.remove(keyOf(map('a')));
    assert.deepEqual(await agent.dispatch(order(2, []), signal), { kind: 'offline' });
    assert.deepEqual(heard.lines, []);
  });
});
