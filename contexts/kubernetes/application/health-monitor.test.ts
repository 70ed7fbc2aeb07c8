import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { PATIENCE_MS } from '#testing/patience';
import { type KubeObject, keyOf } from '../domain/kube-object.ts';
import { deploymentUid, map, order, policy, runAgent } from '../testing/agent-scene.ts';
import { type FakePorts, fakePorts } from '../testing/fake-ports.ts';

let signal: AbortSignal;

const ours = { 'fleetshift.io/deployment': deploymentUid() };

/** Another manager sets fields of one of our objects. */
function meddle(ports: FakePorts, manager: string, data: object): void {
  const object = map('a', data);
  const labelled = { ...object, metadata: { ...object.metadata, labels: ours } } as KubeObject;
  ports.api.applyAs(manager, labelled, { force: true });
}

function dataOf(ports: FakePorts, name = 'a'): object | undefined {
  return (ports.api.peek(keyOf(map(name))) as (KubeObject & { data: object }) | undefined)?.data;
}

describe('what was applied', () => {
  beforeEach(() => {
    signal = AbortSignal.timeout(PATIENCE_MS);
  });

  it('is looked after: what differs is told, with who did it, and when it does not any more', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    await agent.dispatch(order(1, [map('a'), map('b')]), signal);
    await heard.until('health 1 Available', signal);
    meddle(ports, 'kubectl-edit', { a: '2' });
    await heard.until('drift 1 v1/ConfigMap/shop/a: kubectl-edit changed .data.a.', signal);
    assert.deepEqual(dataOf(ports), { a: '2' });
    ports.api.remove(keyOf(map('b')));
    await heard.until(/^drift 1 .*v1\/ConfigMap\/shop\/b was deleted\./, signal);
    await heard.until(/^health 1 Degraded v1\/ConfigMap\/shop\/b: it does not exist/, signal);
    await agent.dispatch(order(2, [policy({ onConflict: 'force' }), map('a'), map('b')]), signal);
    await heard.until('health 2 Available', signal);
    assert.deepEqual(dataOf(ports), { a: '1' });
  });

  it('is left alone where others add what is theirs, and where fields are ignored', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    const ignore = policy({ ignoreFields: [{ kind: 'ConfigMap', fields: ['/data/b'] }] });
    await agent.dispatch(order(1, [ignore, map('a', { a: '1', b: '1' })], { driftPolicy: 'repair' }), signal);
    await heard.until('health 1 Available', signal);
    meddle(ports, 'scaler', { b: '7', c: '1' });
    meddle(ports, 'other', { a: '3' });
    await heard.until(/^drift 1 v1\/ConfigMap\/shop\/a: other changed \.data\.a\.$/, signal);
    await heard.until('drift 1', signal);
    assert.deepEqual(dataOf(ports), { a: '1', b: '7', c: '1' });
  });

  it('is repaired: changed, or gone', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    await agent.dispatch(order(1, [map('a'), map('b')], { driftPolicy: 'repair' }), signal);
    await heard.until('health 1 Available', signal);
    meddle(ports, 'kubectl-edit', { a: '2' });
    await heard.until(/^drift 1 .*kubectl-edit changed/, signal);
    await heard.until('drift 1', signal);
    assert.deepEqual(dataOf(ports), { a: '1' });
    heard.clear();
    ports.api.remove(keyOf(map('b')));
    await heard.until(/^drift 1 .*b was deleted/, signal);
    await heard.until('drift 1', signal);
    assert.deepEqual(dataOf(ports, 'b'), { a: '1' });
    assert.deepEqual(
      heard.lines.filter((line) => /^(?:applied|failed)/.test(line)),
      [],
      'a repair is no delivery',
    );
  });

  it('is repaired by an order that comes before the repair', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    for (const [revision, a] of [
      [1, '1'],
      [2, '1'],
      [3, '3'],
    ] as const) {
      await agent.dispatch(order(revision, [map('a', { a })], { driftPolicy: 'repair' }), signal);
      await heard.until(`health ${revision} Available`, signal);
      assert.deepEqual(dataOf(ports), { a });
      meddle(ports, 'kubectl-edit', { a: '2' });
    }
    assert.ok(!heard.lines.some((line) => line.startsWith('failed')), heard.lines.join());
  });

  it('is not taken by an order either, where it is only to be told', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('health 1 Available', signal);
    meddle(ports, 'kubectl-edit', { a: '2' });
    await agent.dispatch(order(2, [map('a')]), signal);
    await heard.until(/^failed 2 .*kubectl-edit has \.data\.a\./, signal);
    assert.deepEqual(dataOf(ports), { a: '2' });
  });

  it('is not fought over by orders, which come for each time that it is told', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    let revision = 1;
    let fights = 0;
    const next = async (): Promise<void> => {
      await agent.dispatch(order(revision, [map('a')], { driftPolicy: 'repair' }), signal);
    };
    ports.api.onChange((object) => {
      if (object.metadata.name !== 'a' || JSON.stringify(dataOf(ports)) !== '{"a":"1"}' || fights > 20) return;
      fights += 1;
      queueMicrotask(() => meddle(ports, 'stubborn', { a: '2' }));
    });
    await next();
    while (!heard.lines.some((line) => line.startsWith('failed'))) {
      heard.clear();
      await heard.until(/^(?:drift \d+ .|failed)/, signal);
      revision += 1;
      await next();
    }
    await heard.until(/^failed .*stubborn has \.data\.a\./, signal);
    assert.ok(fights <= 10, `${fights}`);
  });

  it('is not fought over: whoever comes back each time is named instead', async (t) => {
    const ports = fakePorts();
    const { agent, heard } = await runAgent(t, ports);
    let fights = 0;
    ports.api.onChange((object) => {
      if (object.metadata.name !== 'a') return;
      const isOurs = JSON.stringify(dataOf(ports)) === '{"a":"1"}';
      if (!isOurs || fights > 20) return;
      fights += 1;
      queueMicrotask(() => meddle(ports, 'stubborn', { a: '2' }));
    });
    await agent.dispatch(order(1, [map('a')], { driftPolicy: 'repair' }), signal);
    await heard.until(/^drift 1 .*stubborn changed it again after each repair\. It is no longer repaired/, signal);
    assert.ok(fights >= 3 && fights <= 5, `${fights}`);
    assert.deepEqual(dataOf(ports), { a: '2' });
  });

  it('does not take back what somebody made anew, and says so', async (t) => {
    const ports = fakePorts();
    const clock = new FakeClock();
    const { agent, heard } = await runAgent(t, ports, { clock, sleep: clock.sleep });
    await agent.dispatch(order(1, [map('a'), map('b')], { driftPolicy: 'repair' }), signal);
    await heard.until('health 1 Available', signal);
    ports.api.remove(keyOf(map('a')));
    meddle(ports, 'kubectl', { a: '2' });
    await clock.advance(60_000);
    await heard.until(/^drift 1 .*recreated by another client/, signal);
    assert.deepEqual(dataOf(ports), { a: '2' });
  });

  it('is not made into what was cancelled', async (t) => {
    const ports = fakePorts();
    ports.api.applyAs('kubectl', map('theirs'));
    const { agent, heard } = await runAgent(t, ports);
    await agent.dispatch(order(1, [map('a'), map('b')], { driftPolicy: 'repair' }), signal);
    await heard.until('health 1 Available', signal);
    const next = order(2, [map('a', { a: '7' }), map('theirs')], { driftPolicy: 'repair' });
    await agent.dispatch(next, signal);
    await heard.until(/^failed 2/, signal);
    await agent.cancel(next, signal);
    ports.api.remove(keyOf(map('a')));
    await heard.until(/^health 1 Degraded .*a: it does not exist/, signal);
    // When it checks again, it has dealt with what it saw first.
    ports.api.remove(keyOf(map('b')));
    await heard.until(/^health 1 Degraded .*b: it does not exist/, signal);
    assert.equal(dataOf(ports), undefined);
  });
});
