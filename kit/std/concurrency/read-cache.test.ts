import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { ReadCache } from './read-cache.ts';

const clock = new FakeClock();
const options = { clock, entries: 2, maxAgeMs: 1_000 };

test('what was read is remembered for a while, and what was not there is not', async () => {
  const cache = new ReadCache<string>(options);
  let reads = 0;
  const load = (value: string | undefined) => async () => {
    reads += 1;
    return value;
  };
  assert.equal(await cache.get('a', load('1')), '1');
  assert.equal(await cache.get('a', load('2')), '1');
  await clock.advance(1_000);
  assert.equal(await cache.get('a', load('3')), '3');
  assert.equal(await cache.get('b', load(undefined)), undefined);
  assert.equal(await cache.get('b', load('4')), '4');
  assert.equal(reads, 4);
  await cache.get('c', load('5'));
  assert.equal(await cache.get('a', load('6')), '6', 'the oldest was forgotten');
});

test('what was being read when it changed is not remembered', async () => {
  const cache = new ReadCache<string>(options);
  const reading = Promise.withResolvers<string>();
  const first = cache.get('a', () => reading.promise);
  cache.clear();
  reading.resolve('before');
  assert.equal(await first, 'before');
  assert.equal(await cache.get('a', async () => 'after'), 'after');
});
