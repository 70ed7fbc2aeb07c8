import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { KeyedTurns } from './keyed-turns.ts';

test('what shares a key is done in the order of asking, and what does not beside it', async () => {
  const turns = new KeyedTurns();
  const did: string[] = [];
  const gates = new Map<string, () => void>();
  const work = (name: string, keys: readonly string[]): Promise<void> =>
    turns.within(keys, async () => {
      did.push(`${name} begins`);
      await new Promise<void>((resolve) => gates.set(name, resolve));
      did.push(`${name} ends`);
    });
  const finish = async (name: string): Promise<void> => {
    gates.get(name)?.();
    await turn();
  };
  const all = Promise.all([work('a', ['x']), work('b', ['x', 'y']), work('c', ['y']), work('d', ['z'])]);
  await turn();
  assert.deepEqual(did, ['a begins', 'd begins']);
  await finish('d');
  await finish('a');
  assert.deepEqual(did.slice(2), ['d ends', 'a ends', 'b begins']);
  await finish('b');
  await finish('c');
  await all;
  assert.deepEqual(did.slice(5), ['b ends', 'c begins', 'c ends']);
});

test('work that fails is out of the way of the next', async () => {
  const turns = new KeyedTurns();
  const failing = turns.within(['x'], () => Promise.reject(new Error('no')));
  const next = turns.within(['x'], async () => 'done');
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'done');
});
