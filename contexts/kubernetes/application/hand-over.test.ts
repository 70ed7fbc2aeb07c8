import assert from 'node:assert/strict';
import { beforeEach, describe, it, type TestContext } from 'node:test';
import type { DeliveryOrder } from '#protocol/delivery';
import { PATIENCE_MS } from '#testing/patience';
import { seededRandom, share, testSeed } from '#testing/seeded';
import { keyOf } from '../domain/kube-object.ts';
import { KubernetesError } from '../domain/kubernetes-error.ts';
import { acceptedOrder } from '../domain/order.ts';
import { map, order, removal, runAgent, TARGET } from '../testing/agent-scene.ts';
import { dyingPorts } from '../testing/dying-ports.ts';
import { type FakePorts, fakePorts } from '../testing/fake-ports.ts';
import type { ClusterPorts } from './ports.ts';

let signal: AbortSignal;

function there(ports: FakePorts): string[] {
  return 'abcde'.split('').filter((name) => ports.api.peek(keyOf(map(name))) !== undefined);
}

/** Delivered by an agent that shut down cleanly. */
async function delivered(t: TestContext, ports: FakePorts, first: DeliveryOrder): Promise<void> {
  const { agent, heard, stop } = await runAgent(t, ports);
  await agent.dispatch(first, signal);
  await heard.until('health 1 Available', signal);
  await stop();
}

describe('whoever comes next', () => {
  beforeEach(() => {
    signal = AbortSignal.timeout(PATIENCE_MS);
  });

  it('goes on wherever an agent ended, between any two writes, and leaves nothing behind', async (t) => {
    const draw = seededRandom(testSeed());
    const points = Array.from({ length: 24 }, (_, index) => index);
    for (const point of draw.shuffled(points).slice(0, Math.max(8, share(24)))) {
      const ports = fakePorts();
      const before = await runAgent(t, ports);
      await before.agent.dispatch(order(1, [map('a'), map('b'), map('c')]), signal);
      await before.heard.until('applied 1', signal);
      await before.stop();
      const dying = dyingPorts(ports, point);
      const first = await runAgent(t, dying.ports);
      const done = (async () => {
        await first.agent.dispatch(order(2, [map('b', { a: '2' }), map('c'), map('d'), map('e')]), signal);
        await first.heard.until('applied 2', signal);
        await first.agent.dispatch(removal(3), signal);
        await first.heard.until('removed 3', signal);
      })().catch(() => {});
      await Promise.race([dying.ended, done]);
      await first.agent.drop(TARGET.id);
      const second = await runAgent(t, ports);
      const desired = (await ports.orders.all(signal)).records[0];
      // An order that was not accepted is sent again.
      if (desired?.revision === 1 || point === 0) {
        await second.agent.dispatch(order(2, [map('b', { a: '2' }), map('c'), map('d'), map('e')]), signal);
      }
      const isRemoved = desired === undefined || desired.hash === undefined;
      if (!isRemoved) await second.heard.until('applied 2', signal);
      if (!isRemoved) assert.deepEqual(there(ports), ['b', 'c', 'd', 'e'], `write ${point}`);
      await second.agent.dispatch(removal(3), signal);
      await second.heard.until('removed 3', signal);
      assert.deepEqual(there(ports), [], `write ${point}`);
      await second.stop();
    }
  });

  it('does not take for whole what an agent began to change before it ended', async (t) => {
    const ports = fakePorts();
    const [old, next] = [order(1, [map('a')]), order(1, [map('a', { a: '2' })])];
    await delivered(t, ports, old);
    // The order and the object, and nothing more.
    const dying = dyingPorts(ports, 2);
    const first = await runAgent(t, dying.ports);
    await first.agent.dispatch(next, signal);
    await dying.ended;
    await first.agent.drop(TARGET.id);
    const second = await runAgent(t, ports, { beforeRun: async (agent) => await agent.dispatch(old, signal) });
    await second.heard.until('health 1 Available', signal);
    const { holdings } = await second.agent.inventory(TARGET, signal);
    assert.equal(holdings[0]?.hash, old.hash);
    const object = ports.api.peek(keyOf(map('a'))) as unknown as { readonly data: object };
    assert.deepEqual(object.data, { a: '1' });
  });

  it('carries out once more what was told and not written yet', async (t) => {
    const ports = fakePorts();
    await delivered(t, ports, order(1, [map('a')]));
    // The order and the object: the report sent after them is never recorded in the inventory.
    const dying = dyingPorts(ports, 2);
    const first = await runAgent(t, dying.ports);
    await first.agent.dispatch(order(2, [map('a', { a: '2' })]), signal);
    await first.heard.until('health 2 Available', signal);
    await dying.ended;
    await first.agent.drop(TARGET.id);
    const second = await runAgent(t, ports);
    await second.heard.until('applied 2', signal);
    await second.heard.until('health 2 Available', signal);
    await second.stop();
    const [inventory] = (await ports.inventories.all(signal)).records;
    assert.equal(inventory?.held?.revision, 2);
  });

  it('does not take for whole what is the content before the last, though nothing was done for it yet', async (t) => {
    const ports = fakePorts();
    const [old, next] = [order(1, [map('a')]), order(1, [map('a', { a: '2' })])];
    await delivered(t, ports, old);
    // Four writes: the other content's order and its object, then the inventory without the first content, and the
    // order for it.
    const dying = dyingPorts(ports, 4);
    const first = await runAgent(t, dying.ports);
    await first.agent.dispatch(next, signal);
    await first.heard.until('applied 1', signal);
    assert.deepEqual(await first.agent.dispatch(old, signal), { kind: 'accepted' });
    await dying.ended;
    await first.agent.drop(TARGET.id);
    const second = await runAgent(t, ports);
    await second.heard.until('applied 1', signal);
    const object = ports.api.peek(keyOf(map('a'))) as unknown as { readonly data: object };
    assert.deepEqual(object.data, { a: '1' });
  });

  it('has the word: what another agent wrote meanwhile is read anew', async (t) => {
    const ports = fakePorts();
    let isOther = false;
    const orders: ClusterPorts['orders'] = {
      all: async (stop) => await ports.orders.all(stop),
      read: async (deployment, stop) => await ports.orders.read(deployment, stop),
      remove: async (deployment, stop) => await ports.orders.remove(deployment, stop),
      save: async (its, stop) => {
        if (isOther) {
          isOther = false;
          throw new KubernetesError('RECORD_CHANGED', 'write the order: another agent wrote it');
        }
        await ports.orders.save(its, stop);
      },
    };
    const { agent, heard } = await runAgent(t, { ...ports, orders });
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('applied 1', signal);
    await ports.orders.save(acceptedOrder(order(5, [map('b')])), signal);
    isOther = true;
    assert.deepEqual(await agent.dispatch(order(2, [map('c')]), signal), { kind: 'fenced', seen: 5 });
    await heard.until('applied 5', signal);
    assert.deepEqual(there(ports), ['b']);
  });

  it('finds a cluster that was built anew, says that it has nothing, and gives it everything again', async (t) => {
    let ports = fakePorts();
    let instance = 'i-1';
    const now = (): FakePorts => ports;
    // The address stays, but another cluster is behind it.
    const address: ClusterPorts = {
      ...ports,
      discovery: { scopes: async () => now().scopes, instance: async () => instance },
      api: {
        get: async (key, stop) => await now().api.get(key, stop),
        apply: async (object, options, stop) => await now().api.apply(object, options, stop),
        delete: async (key, meant, stop) => await now().api.delete(key, meant, stop),
      },
      orders: {
        all: async (stop) => await now().orders.all(stop),
        read: async (deployment, stop) => await now().orders.read(deployment, stop),
        save: async (its, stop) => await now().orders.save(its, stop),
        remove: async (deployment, stop) => await now().orders.remove(deployment, stop),
      },
      inventories: {
        all: async (stop) => await now().inventories.all(stop),
        others: async (deployment, stop) => await now().inventories.others(deployment, stop),
        save: async (its, stop) => await now().inventories.save(its, stop),
      },
    };
    const { agent, heard } = await runAgent(t, address);
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('health 1 Available', signal);
    ports = fakePorts();
    instance = 'i-2';
    const account = await agent.inventory(TARGET, signal);
    assert.deepEqual([account.instance, account.holdings], ['i-2', []]);
    await heard.until('inventory i-2 0', signal);
    heard.clear();
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('applied 1', signal);
    assert.deepEqual(there(ports), ['a']);
  });
});
