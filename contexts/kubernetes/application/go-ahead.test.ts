import assert from 'node:assert/strict';
import { beforeEach, describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import { type KubeObject, keyOf } from '../domain/kube-object.ts';
import { deploymentUid, map, order, removal, runAgent } from '../testing/agent-scene.ts';
import { type FakePorts, fakePorts } from '../testing/fake-ports.ts';
import { MemoryOrders } from '../testing/memory-orders.ts';

let signal: AbortSignal;

function valueOf(ports: FakePorts, name: string): unknown {
  return (ports.api.peek(keyOf(map(name))) as (KubeObject & { data: object }) | undefined)?.data;
}

/** An agent that has delivered two objects, and a log of the writes from then on. */
async function afterTheFirst(t: TestContext) {
  const ports = fakePorts();
  const running = await runAgent(t, ports);
  await running.agent.dispatch(order(1, [map('a'), map('b')]), signal);
  await running.heard.until('health 1 Available', signal);
  const written: string[] = [];
  ports.api.onChange(({ metadata }) => written.push(metadata.name ?? ''));
  return { ports, written, ...running };
}

describe('an order that changes contents', () => {
  beforeEach(() => {
    signal = AbortSignal.timeout(PATIENCE_MS);
  });

  it('is applied while it is being written, and nothing is said of it before it is', async (t) => {
    const { ports, agent, heard } = await afterTheFirst(t);
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
    ports.orders.beforeWrite = async () => await mayGoOn;
    let isAccepted = false;
    const dispatched = agent.dispatch(order(2, [map('a', { a: '2' }), map('b')]), signal).then(() => {
      isAccepted = true;
    });
    while (JSON.stringify(valueOf(ports, 'a')) !== '{"a":"2"}') await nextTurn(undefined, { signal });
    for (let turns = 0; turns < 20; turns += 1) await nextTurn();
    assert.deepEqual([isAccepted, heard.lines.includes('applied 2')], [false, false]);
    goOn();
    await dispatched;
    await heard.until('health 2 Available', signal);
    assert.equal(ports.orders.records.read(deploymentUid())?.revision, 2);
  });

  for (const { what, documents, isChanged } of [
    { what: 'brings a new object', documents: [map('a', { a: '2' }), map('b'), map('c')] },
    { what: 'leaves an object out', documents: [map('a', { a: '2' })] },
    {
      what: 'is about an object that somebody changed',
      documents: [map('a', { a: '2' }), map('b', { a: '2' })],
      isChanged: true,
    },
    { what: 'ends all of them', documents: undefined },
  ]) {
    it(`is written first when it ${what}`, async (t) => {
      const { ports, agent, heard, written } = await afterTheFirst(t);
      if (isChanged) ports.api.applyAs('kubectl', map('b', { a: '9' }), { force: true });
      written.length = 0;
      ports.orders.beforeWrite = async () => {
        for (let turns = 0; turns < 20; turns += 1) await nextTurn();
        written.push('order');
      };
      await agent.dispatch(documents === undefined ? removal(2) : order(2, documents), signal);
      await heard.until(/^(applied|removed|failed) 2/, signal);
      assert.equal(written[0], 'order');
    });
  }

  it('never replaces what another agent applied that this one has not seen', async (t) => {
    const { ports, agent, trouble } = await afterTheFirst(t);
    const old = ports.watch.observedObject(keyOf(map('a')));
    ports.watch.observedObject = (key) => (key.name === 'a' ? old : undefined);
    const theirs = new MemoryOrders(ports.orders.records.shared);
    await theirs.all(signal);
    const taken = ports.orders.records.read(deploymentUid());
    assert.ok(taken !== undefined);
    await theirs.save({ ...taken, revision: 3 }, signal);
    ports.api.applyAs('fleetshift', { ...map('a', { a: '3' }), metadata: old?.object.metadata ?? { name: 'a' } });
    const answer = await agent.dispatch(order(2, [map('a', { a: '2' }), map('b')]), signal);
    assert.deepEqual(answer, { kind: 'fenced', seen: 3 });
    assert.deepEqual(valueOf(ports, 'a'), { a: '3' });
    assert.ok(trouble.length > 0);
  });

  it('is written by the agent itself where that failed at first, and is accepted when it is asked again', async (t) => {
    const { ports, agent, heard } = await afterTheFirst(t);
    let tries = 0;
    ports.orders.beforeWrite = () => {
      if (++tries < 3) throw new Error('not now');
    };
    const next = order(2, [map('a', { a: '2' }), map('b')]);
    await assert.rejects(agent.dispatch(next, signal), { message: 'not now' });
    assert.deepEqual(await agent.dispatch(next, signal).catch(() => agent.dispatch(next, signal)), {
      kind: 'accepted',
    });
    await heard.until('health 2 Available', signal);
    assert.equal(ports.orders.records.read(deploymentUid())?.revision, 2);
  });

  it('is not written over a later one that came while it could not be', async (t) => {
    const { ports, agent, heard } = await afterTheFirst(t);
    ports.orders.beforeWrite = () => {
      throw new Error('not now');
    };
    await assert.rejects(agent.dispatch(order(2, [map('a', { a: '2' }), map('b')]), signal), { message: 'not now' });
    ports.orders.beforeWrite = () => {};
    await agent.dispatch(order(3, [map('a', { a: '3' }), map('b')]), signal);
    await heard.until('health 3 Available', signal);
    assert.equal(ports.orders.records.read(deploymentUid())?.revision, 3);
    assert.deepEqual(valueOf(ports, 'a'), { a: '3' });
  });
});
