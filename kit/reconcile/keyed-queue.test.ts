import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { KeyedQueue, type KeyedQueueOptions, type QueueObserver } from './keyed-queue.ts';
import { takeNow } from './testing/take-now.ts';

const signal = new AbortController().signal;

function setUp(options: KeyedQueueOptions = {}) {
  const clock = new FakeClock();
  return { clock, queue: new KeyedQueue({ clock, sleep: clock.sleep, ...options }) };
}

test('a key is in it once, and a take that waits gets it', async () => {
  const { queue } = setUp();
  const waiting = queue.take(signal);
  queue.add('a');
  assert.equal(await waiting, 'a');
  for (const key of ['b', 'c', 'b']) queue.add(key);
  assert.equal(queue.size, 2);
  assert.deepEqual([await queue.take(signal), await queue.take(signal)], ['b', 'c']);
  assert.equal(await takeNow(queue), undefined);
});

test('a key that is added while somebody has it waits until that is done', async () => {
  const { queue } = setUp();
  queue.add('a');
  assert.equal(await queue.take(signal), 'a');
  queue.add('a');
  queue.add('a');
  assert.equal(await takeNow(queue), undefined);
  queue.done('a');
  assert.equal(await takeNow(queue), 'a');
  queue.done('a');
  assert.equal(queue.size, 0);
});

test('a delayed key comes at its moment; of several moments the earliest counts', async () => {
  const { clock, queue } = setUp();
  queue.add('a', { afterMs: 100 });
  queue.add('a', { afterMs: 50 });
  queue.add('a', { afterMs: 70 });
  queue.add('b', { afterMs: 60 });
  await clock.advance(49);
  assert.equal(await takeNow(queue), undefined);
  await clock.advance(1);
  assert.equal(await takeNow(queue), 'a');
  await clock.advance(10);
  assert.equal(await takeNow(queue), 'b');
  await clock.advance(1_000);
  assert.equal(await takeNow(queue), undefined, 'the later moments are gone');
  queue.add('c', { afterMs: 1_000 });
  queue.add('c');
  assert.equal(await takeNow(queue), 'c', 'at once is the earliest moment');
  assert.equal(clock.sleeping, 1, 'one alarm at a time');
});

test('a delay of weeks is kept', async () => {
  const { clock, queue } = setUp();
  const weeks = 60 * 86_400_000;
  queue.add('a', { afterMs: weeks });
  await clock.advance(weeks - 1);
  assert.equal(await takeNow(queue), undefined);
  await clock.advance(1);
  assert.equal(await takeNow(queue), 'a');
});

test('a second add raises the priority and never lowers it', async () => {
  const { queue } = setUp();
  for (const key of ['a', 'b', 'c']) queue.add(key, { priority: 'low' });
  queue.add('c', { priority: 'high' });
  queue.add('b');
  queue.add('c', { priority: 'low' });
  assert.deepEqual([await takeNow(queue), await takeNow(queue), await takeNow(queue)], ['c', 'b', 'a']);
});

test('close tells those who wait, stops the alarm and drops what waits', async () => {
  const { clock, queue } = setUp();
  const waiting = queue.take(signal);
  queue.add('later', { afterMs: 10 });
  queue.close();
  assert.equal(await waiting, undefined);
  assert.equal(await queue.take(signal), undefined);
  queue.add('a');
  assert.equal(queue.size, 0);
  assert.equal(clock.sleeping, 0);
});

test('a take that is aborted takes nothing', async () => {
  const { queue } = setUp();
  const stop = new AbortController();
  const waiting = queue.take(stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(waiting, { message: 'enough' });
  queue.add('a');
  assert.equal(await takeNow(queue), 'a');
});

test('done for a key that nobody has is a mistake of the caller', () => {
  assert.throws(() => setUp().queue.done('a'), RangeError);
});

test('the observer is told numbers, each add and retry once', async () => {
  const told: string[] = [];
  const observer: QueueObserver = {
    depth: (priority, depth) => told.push(`depth ${priority} ${depth}`),
    added: () => told.push('added'),
    retried: () => told.push('retried'),
    waited: (ms) => told.push(`waited ${ms}`),
    worked: (ms) => told.push(`worked ${ms}`),
  };
  const { clock, queue } = setUp({ observer, random: () => 0.5 });
  queue.add('a', { priority: 'low' });
  queue.add('a', { priority: 'normal' });
  await clock.advance(5);
  await takeNow(queue);
  assert.deepEqual(told.splice(0), [
    'added',
    'depth low 1',
    'depth low 0',
    'depth normal 1',
    'depth normal 0',
    'waited 5',
  ]);
  queue.add('a');
  await clock.advance(7);
  assert.deepEqual(queue.inProgress(), [7]);
  queue.done('a');
  assert.deepEqual(told.splice(0), ['added', 'worked 7', 'depth normal 1']);
  await takeNow(queue);
  queue.retry('a');
  queue.done('a');
  assert.deepEqual(told.splice(0), ['depth normal 0', 'waited 7', 'retried', 'worked 0']);
  await clock.advance(20);
  assert.deepEqual(told.splice(0), ['added', 'depth normal 1']);
});
