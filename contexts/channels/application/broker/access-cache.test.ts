import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import type { AccessQuestion, AccessReply } from '../../domain/access-message.ts';
import { AccessCache, type AccessCacheDeps } from './access-cache.ts';

const NO_SIGNAL = new AbortController().signal;
const ANNA: AccessReply = {
  facts: { kind: 'identity', subject: 'anna', groups: [], issuer: '' },
  maxAgeMs: 30_000,
  staleMs: 0,
};
const REFUSED: AccessReply = {
  facts: { kind: 'fault', code: 'unauthenticated', message: 'who?' },
  maxAgeMs: 60_000,
  staleMs: 0,
};

function stage(more: Partial<AccessCacheDeps> = {}) {
  const clock = new FakeClock();
  const asked: AccessQuestion[] = [];
  const world = { isConnected: true, answer: (): Promise<AccessReply> => Promise.resolve(ANNA) };
  const keys = new Set<string>();
  const cache = new AccessCache({
    resolver: {
      resolve: (question) => {
        asked.push(question);
        return world.answer();
      },
    },
    clock,
    hash: (text) => {
      const key = `hash-${[...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 1_000_003, 7)}`;
      keys.add(key);
      return key;
    },
    isConnected: () => world.isConnected,
    staleMs: 300_000,
    ...more,
  });
  const ask = (token: string, permission?: string): Promise<AccessReply> =>
    cache.resolve(
      permission === undefined ? { kind: 'identity', token } : { kind: 'permissions', token, permission },
      NO_SIGNAL,
    );
  return { clock, asked, world, cache, ask, keys };
}

suite('answers about access', () => {
  test('are remembered for as long as the platform said, and the rest of that is told', async () => {
    const { ask, asked, clock } = stage();
    await ask('a');
    await clock.advance(10_000);
    assert.equal((await ask('a')).maxAgeMs, 20_000);
    assert.equal(asked.length, 1);
    await clock.advance(20_000);
    await ask('a');
    assert.equal(asked.length, 2);
  });

  test('are of one question: another token or permission is asked anew', async () => {
    const { ask, asked } = stage();
    await ask('a');
    await ask('b');
    await ask('a', 'targets.read');
    await ask('a', 'targets.write');
    assert.equal(asked.length, 4);
  });

  test('that many want at the same time are asked for once', async () => {
    const { ask, asked, world } = stage();
    const { promise, resolve } = Promise.withResolvers<AccessReply>();
    world.answer = () => promise;
    const all = [ask('a'), ask('a'), ask('a')];
    resolve(ANNA);
    await Promise.all(all);
    assert.equal(asked.length, 1);
  });

  test('are given beyond their time while the platform is away, with their age, and not for ever', async () => {
    const { ask, asked, clock, world } = stage();
    await ask('a');
    world.isConnected = false;
    world.answer = () => Promise.reject(new Error('away'));
    await clock.advance(100_000);
    assert.deepEqual(await ask('a'), { ...ANNA, maxAgeMs: 0, staleMs: 100_000 });
    assert.equal(asked.length, 1, 'nobody was asked');
    await clock.advance(231_000);
    await assert.rejects(ask('a'), /away/);
  });

  test('are given beyond their time when the platform seems to be there and does not answer', async () => {
    const { ask, clock, world } = stage();
    await ask('a');
    await clock.advance(40_000);
    world.answer = () => Promise.reject(new Error('timed out'));
    assert.equal((await ask('a')).staleMs, 40_000);
  });

  test('once the platform is back, what is beyond its time is asked anew', async () => {
    const { ask, asked, clock, world } = stage();
    await ask('a');
    world.isConnected = false;
    await clock.advance(40_000);
    assert.equal((await ask('a')).staleMs, 40_000);
    world.isConnected = true;
    assert.equal((await ask('a')).staleMs, 0);
    assert.equal(asked.length, 2);
  });

  test('that refuse are remembered briefly, and never beyond their time', async () => {
    const { ask, asked, clock, world } = stage();
    world.answer = () => Promise.resolve(REFUSED);
    await ask('a');
    await ask('a');
    assert.equal(asked.length, 1);
    await clock.advance(5_000);
    world.isConnected = false;
    world.answer = () => Promise.reject(new Error('away'));
    await assert.rejects(ask('a'), /away/);
  });

  test('that hold just now are not remembered', async () => {
    const { ask, asked, cache, world } = stage();
    world.answer = () => Promise.resolve({ ...ANNA, maxAgeMs: 0 });
    await ask('a');
    await ask('a');
    assert.deepEqual([asked.length, cache.size], [2, 0]);
  });

  test('are so many and no more: the one that was not used for longest goes', async () => {
    const { ask, asked, cache } = stage({ maxEntries: 3 });
    for (const token of ['a', 'b', 'c', 'a', 'd']) await ask(token);
    assert.equal(cache.size, 3);
    await ask('a');
    assert.equal(asked.length, 4);
    await ask('b');
    assert.equal(asked.length, 5);
  });

  test('one who gives up does not take the answer from the others', async () => {
    const { cache, world } = stage();
    const { promise, resolve } = Promise.withResolvers<AccessReply>();
    world.answer = () => promise;
    const impatient = new AbortController();
    const first = cache.resolve({ kind: 'identity', token: 'a' }, impatient.signal);
    const second = cache.resolve({ kind: 'identity', token: 'a' }, NO_SIGNAL);
    impatient.abort(new Error('enough'));
    await assert.rejects(first, /enough/);
    resolve(ANNA);
    assert.equal(await second, ANNA);
  });
});
