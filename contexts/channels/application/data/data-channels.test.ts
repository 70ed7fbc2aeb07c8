import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { until } from '../../testing/an-uplink.ts';
import { DirectWay } from '../../testing/direct-way.ts';
import { FleetWorld, type FleetWorldOptions, type TestFleetlet } from '../../testing/fleet-world.ts';
import type { Channel, Inbound } from '../channel.ts';
import type { LocalClient } from '../local-client.ts';

const NO_SIGNAL = new AbortController().signal;

function world(t: TestContext, options?: FleetWorldOptions): FleetWorld {
  const made = new FleetWorld(options);
  t.after(() => made.close());
  return made;
}

function reader(client: LocalClient, name: string, onMessage = (message: Inbound): void => message.ack()) {
  const heard: { readonly text: string; readonly from: string; readonly redelivered: boolean }[] = [];
  const channel = client.open(
    { name, reads: true },
    {
      message: (message) => {
        const { process: from, redelivered } = message;
        heard.push({ text: Buffer.from(message.payload).toString(), from, redelivered });
        onMessage(message);
      },
    },
  );
  return { heard, channel };
}

function source(client: LocalClient, name: string): Channel & { readonly answers: string[] } {
  const answers: string[] = [];
  const channel = client.open(
    { name },
    {
      message: (message) => {
        message.ack();
        answers.push(Buffer.from(message.payload).toString());
      },
    },
  );
  return Object.assign(channel, { answers });
}

const say = (channel: Channel, text: string): Promise<void> => channel.send({ payload: Buffer.from(text) }, NO_SIGNAL);

suite('a data channel', () => {
  test('leads from a process of one fleetlet through the platform to one of another, and back', async (t) => {
    const it = world(t);
    const [near, far] = [await it.fleetlet('near'), await it.fleetlet('far')];
    const { heard, channel } = reader(await far.local('backend'), 'data/metrics');
    const from = source(await near.local('collector'), 'data/metrics');
    await say(from, 'one');
    await until(() => heard.length === 1);
    assert.deepEqual(heard, [{ text: 'one', from: 'near', redelivered: false }]);
    assert.deepEqual(near.ways.at(-1), 'relay');
    await channel.send({ payload: Buffer.from('thanks'), process: 'near' }, NO_SIGNAL);
    await until(() => from.answers.length === 1);
    assert.deepEqual(from.answers, ['thanks']);
  });

  test('goes directly where that is possible', async (t) => {
    const { near, way, heard, from } = await pair(t);
    await say(from, 'one');
    await until(() => heard.length === 1);
    assert.deepEqual(near.ways, ['direct']);
    assert.deepEqual(way.dialled, [{ address: 'far:1', serverName: 'far.test' }]);
  });

  test('goes through the platform while nobody answers directly, and changes over once somebody does', async (t) => {
    const { near, way, heard, from } = await pair(t, { isReachable: false, againMs: 20 });
    await say(from, 'one');
    await until(() => heard.length === 1);
    assert.equal(near.ways.at(-1), 'relay');
    way.isReachable = true;
    await until(() => near.ways.at(-1) === 'direct');
    await say(from, 'two');
    await until(() => heard.length === 2);
    assert.deepEqual(heard, [told('one'), told('two')]);
  });

  for (const { why, harm } of [
    { why: 'is cut', harm: (way: DirectWay) => void way.cut().catch(() => {}) },
    { why: 'is blocked, and nobody hears of it', harm: (way: DirectWay) => void (way.isBlocked = true) },
  ]) {
    test(`goes on through the platform when the direct way ${why}, and loses nothing`, async (t) => {
      const { near, way, heard, from } = await pair(t);
      const texts = Array.from({ length: 200 }, (_, index) => `message ${index}`);
      for (const [index, text] of texts.entries()) {
        if (index === 100) {
          await until(() => heard.length > 10);
          harm(way);
        }
        await say(from, text);
      }
      await until(() => heard.length >= texts.length);
      assert.deepEqual(
        heard.map(({ text }) => text),
        texts,
      );
      assert.ok(heard.every(({ redelivered }) => !redelivered));
      assert.deepEqual([near.ways[0], near.ways.at(-1)], ['direct', 'relay']);
    });
  }

  test('that goes directly has to show a new ticket by and by, and loses nothing by that', async (t) => {
    const it = world(t);
    const far = await it.fleetlet('far', { addresses: () => ['far:1'], limits: { directLifeMs: 50 } });
    const near = await it.fleetlet('near', { dial: new DirectWay('near', () => far).dial });
    const { heard } = reader(await far.local('backend'), 'data/a');
    await until(() => far.broker.stats().processes > 0);
    const from = source(await near.local('collector'), 'data/a');
    await say(from, 'one');
    await until(() => near.ways.filter((way) => way === 'direct').length > 1);
    await say(from, 'two');
    await until(() => heard.length === 2);
    assert.deepEqual(heard, [told('one'), told('two')]);
  });

  test('takes no more sources than it may, but those that it has', async (t) => {
    const it = world(t);
    const far = await it.fleetlet('far', { limits: { maxSources: 1 } });
    const { heard } = reader(await far.local('backend'), 'data/a');
    const [first, second] = [await it.fleetlet('first'), await it.fleetlet('second')];
    const from = source(await first.local('x'), 'data/a');
    await say(from, 'one');
    await until(() => heard.length === 1);
    await say(source(await second.local('x'), 'data/a'), 'too many');
    await until(() => far.refusals.some((message) => message.includes('sources')));
    first.cut();
    await say(from, 'two');
    await until(() => heard.length === 2);
    assert.deepEqual(
      heard.map(({ text }) => text),
      ['one', 'two'],
    );
  });

  test('that goes directly goes on while the platform is away', async (t) => {
    const { near, far, heard, from } = await pair(t);
    await say(from, 'one');
    await until(() => heard.length === 1);
    near.cut();
    far.cut();
    await say(from, 'two');
    await until(() => heard.length === 2);
    assert.deepEqual(near.ways, ['direct']);
  });

  test('waits until somebody reads it, and is not heard by whom it is not for', async (t) => {
    const it = world(t);
    const near = await it.fleetlet('near', { path: '/shop/' });
    const beside = await it.fleetlet('beside', { path: '/bank/' });
    const below = await it.fleetlet('below', { path: '/shop/web/' });
    const above = await it.fleetlet('above', { path: '/' });
    const [spy, child] = [reader(await beside.local('x'), 'data/a'), reader(await below.local('x'), 'data/a')];
    const from = source(await near.local('x'), 'data/a');
    await say(from, 'one');
    await until(() => near.detours.length > 2);
    assert.match(near.detours.at(-1) ?? '', /data\/a has no reader/);
    const { heard } = reader(await above.local('x'), 'data/a');
    await until(() => heard.length === 1);
    assert.deepEqual([spy.heard, child.heard], [[], []]);
  });

  test('goes to another reader when the one that it had leaves, with what that one may have had marked', async (t) => {
    const it = world(t);
    const [near, one, other] = [await it.fleetlet('near'), await it.fleetlet('one'), await it.fleetlet('other')];
    const first = reader(await one.local('x'), 'data/a', () => {});
    const from = source(await near.local('x'), 'data/a');
    await say(from, 'one');
    await until(() => first.heard.length === 1);
    const second = reader(await other.local('x'), 'data/a');
    first.channel.close();
    await until(() => second.heard.length === 1);
    assert.deepEqual(second.heard, [{ text: 'one', from: 'near', redelivered: true }]);
  });

  test('holds up its source while its reader takes nothing, and no other', async (t) => {
    const { it, far, heard, from } = await pair(t, {}, () => {});
    const stop = new AbortController();
    const payload = Buffer.alloc(40_000);
    const flood = async (): Promise<void> => {
      for (;;) await from.send({ payload }, stop.signal);
    };
    const flooding = assert.rejects(flood(), { name: 'AbortError' });
    await until(() => from.buffered.bytes > 4 * 1024 * 1024);
    assert.ok(heard.length <= 64, `${heard.length} are held at the reader`);
    const another = await it.fleetlet('another');
    const quick = reader(await far.local('other'), 'data/b');
    await say(source(await another.local('x'), 'data/b'), 'one');
    await until(() => quick.heard.length === 1);
    stop.abort();
    await flooding;
  });

  test('of 500 sources is one channel to its reader, which knows whose is whose', async (t) => {
    const it = world(t, { heartbeatMs: 30_000 });
    const far = await it.fleetlet('far');
    const { heard } = reader(await far.local('backend'), 'data/a');
    const names = Array.from({ length: 500 }, (_, index) => `f${index}`);
    for (const name of names) {
      const near = await it.fleetlet(name);
      const from = source(await near.local('x'), 'data/a');
      await say(from, `${name} 1`);
      await say(from, `${name} 2`);
    }
    await until(() => heard.length === 1_000);
    for (const name of names) {
      const texts = heard.filter(({ from }) => from === name).map(({ text }) => text);
      assert.deepEqual(texts, [`${name} 1`, `${name} 2`]);
    }
  });
});

interface PairOptions {
  readonly isReachable?: boolean;
  readonly againMs?: number;
}

/** A source and a reader at two fleetlets; the test controls the network between them. */
async function pair(t: TestContext, options: PairOptions = {}, onMessage?: (message: Inbound) => void) {
  const it = world(t);
  const { isReachable = true, againMs = 600_000 } = options;
  const far: TestFleetlet = await it.fleetlet('far', { addresses: () => ['far:1'] });
  const way = new DirectWay('near', () => far);
  way.isReachable = isReachable;
  const pace = { baseMs: 5, capMs: 50, againMs, againCapMs: againMs };
  const near = await it.fleetlet('near', { dial: way.dial, pace });
  const { heard, channel } = reader(await far.local('backend'), 'data/metrics', onMessage);
  // A source that asks before there is a reader would only wait a little.
  await until(() => far.broker.stats().processes > 0);
  const from = source(await near.local('collector'), 'data/metrics');
  return { it, near, far, way, heard, channel, from };
}

function told(text: string) {
  return { text, from: 'near', redelivered: false };
}
