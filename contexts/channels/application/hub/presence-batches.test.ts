import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { PATIENCE_MS } from '#testing/patience';
import { ChannelError } from '../../domain/channel-error.ts';
import { until } from '../../testing/an-uplink.ts';
import type { PresenceChange, ServedTarget } from './ports.ts';
import { PresenceBatches } from './presence-batches.ts';

function target(name: string): ServedTarget {
  return { uid: `uid-${name}`, name, type: 'directory' };
}

function running(t: TestContext) {
  const clock = new FakeClock();
  const told: string[][] = [];
  const troubles: number[] = [];
  const away: string[] = [];
  const refused: string[] = [];
  const world = { gate: Promise.resolve() as Promise<unknown>, bad: '' };
  const batches = new PresenceBatches({
    presence: {
      reachable: ({ name }) => away.push(name),
      changed: async (changes: readonly PresenceChange[]) => {
        await world.gate;
        if (changes.some(({ target: { name } }) => name === world.bad)) throw new RangeError('a row cannot be read');
        told.push(changes.map(({ target: { name }, isOnline }) => `${name} ${isOnline ? 'on' : 'off'}`));
      },
    },
    sleep: clock.sleep,
    random: () => 0.5,
    onTrouble: (_error, retryInMs) => troubles.push(retryInMs),
    onRefused: ({ name }) => refused.push(name),
  });
  const over = new AbortController();
  const done = batches.run(over.signal);
  const stop = async (): Promise<void> => {
    over.abort();
    await done;
  };
  t.after(stop);
  return { batches, clock, told, troubles, away, refused, world, stop };
}

test('what happens while it tells is told together next', async (t) => {
  const { batches, told, world } = running(t);
  const gate = Promise.withResolvers<void>();
  world.gate = gate.promise;
  const first = batches.came(target('a'), 1);
  await new Promise(setImmediate);
  const [second] = [batches.came(target('b'), 2), batches.came(target('c'), 3)];
  gate.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(told, [['a on'], ['b on', 'c on']]);
});

test('whoever went cannot be reached at once, before that was put down', async (t) => {
  const { batches, told, away, world } = running(t);
  const gate = Promise.withResolvers<void>();
  world.gate = gate.promise;
  batches.went(target('a'), 1);
  assert.deepEqual(away, ['a']);
  assert.deepEqual(told, []);
  gate.resolve();
  await until(() => told.length === 1);
});

test('of one that comes and goes only the last two matter', async (t) => {
  const { batches, told, world } = running(t);
  const gate = Promise.withResolvers<void>();
  world.gate = gate.promise;
  const first = batches.came(target('other'), 0);
  await new Promise(setImmediate);
  for (let time = 0; time < 50; time += 2) {
    batches.went(target('a'), time);
    batches.came(target('a'), time + 1).catch(() => {});
  }
  gate.resolve();
  await first;
  await until(() => told.length === 2);
  assert.deepEqual(told[1], ['a off', 'a on']);
});

test('what could not be put down is told again, and nothing of it is lost', async (t) => {
  const { batches, clock, told, troubles, world } = running(t);
  world.gate = Promise.reject(new ChannelError('SESSION_GONE', 'stands for a database that is away'));
  world.gate.catch(() => {});
  const came = batches.came(target('a'), 1);
  await until(() => troubles.length === 1);
  world.gate = Promise.resolve();
  await clock.advance(10_000);
  await came;
  assert.deepEqual(told, [['a on']]);
});

test('what is left when it stops is put down by a flush, in order', async (t) => {
  const { batches, told, troubles, world, stop } = running(t);
  world.gate = Promise.reject(new ChannelError('SESSION_GONE', 'stands for a database that is away'));
  world.gate.catch(() => {});
  const came = batches.came(target('a'), 1);
  await until(() => troubles.length === 1);
  batches.went(target('a'), 2);
  await stop();
  world.gate = Promise.resolve();
  await batches.flush(AbortSignal.timeout(PATIENCE_MS));
  await came;
  assert.deepEqual(told.flat(), ['a on', 'a off']);
});

test('one that can never be put down is refused alone, and all others come', async (t) => {
  const { batches, told, refused, troubles, world } = running(t);
  const gate = Promise.withResolvers<void>();
  world.gate = gate.promise;
  world.bad = 'bad';
  const first = batches.came(target('first'), 0);
  await new Promise(setImmediate);
  const names = ['a', 'b', 'bad', 'c', 'd'];
  const coming = names.map((name) => batches.came(target(name), 1));
  gate.resolve();
  await first;
  const came = await Promise.allSettled(coming);
  assert.deepEqual(
    came.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual([told.flat(), refused, troubles], [['first on', 'a on', 'b on', 'c on', 'd on'], ['bad'], []]);
});
