import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { StdError } from '../std-error.ts';
import { BoundedQueue } from './bounded-queue.ts';

const signal = new AbortController().signal;

function isClosed(error: unknown): boolean {
  return error instanceof StdError && error.code === 'QUEUE_CLOSED';
}

/** Whether the promise has settled after all pending work has run. */
function settled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), turn().then(() => false)]);
}

test('a full queue that blocks makes the push wait until there is room', async () => {
  const queue = new BoundedQueue<string>({ capacity: 1, whenFull: 'block' });
  await queue.push('first', signal);
  const second = queue.push('second', signal);
  assert.equal(await settled(second), false);
  assert.equal(await queue.take(signal), 'first');
  await second;
  assert.equal(await queue.take(signal), 'second');
});

test('a full queue that drops loses the oldest and counts it', async () => {
  const queue = new BoundedQueue<number>({ capacity: 2, whenFull: 'drop-oldest' });
  for (const item of [1, 2, 3, 4]) await queue.push(item, signal);
  assert.equal(queue.dropped, 2);
  assert.deepEqual([await queue.take(signal), await queue.take(signal)], [3, 4]);
});

test('falsy items are items', async () => {
  const queue = new BoundedQueue<number | string | boolean>({ capacity: 3, whenFull: 'block' });
  for (const item of [0, '', false]) await queue.push(item, signal);
  assert.deepEqual([await queue.take(signal), await queue.take(signal), await queue.take(signal)], [0, '', false]);
});

test('waiting takers are served in the order in which they came', async () => {
  const queue = new BoundedQueue<string>({ capacity: 1, whenFull: 'block' });
  const takes = [queue.take(signal), queue.take(signal), queue.take(signal)];
  for (const item of ['a', 'b', 'c']) await queue.push(item, signal);
  assert.deepEqual(await Promise.all(takes), ['a', 'b', 'c']);
});

test('waiting pushers are served in the order in which they came', async () => {
  const queue = new BoundedQueue<string>({ capacity: 1, whenFull: 'block' });
  const pushes = ['a', 'b', 'c'].map((item) => queue.push(item, signal));
  const taken = [await queue.take(signal), await queue.take(signal), await queue.take(signal)];
  await Promise.all(pushes);
  assert.deepEqual(taken, ['a', 'b', 'c']);
});

test('a late push does not overtake one that waits', async () => {
  const queue = new BoundedQueue<string>({ capacity: 1, whenFull: 'block' });
  const pushes = [queue.push('a', signal), queue.push('b', signal)];
  const first = queue.take(signal);
  pushes.push(queue.push('c', signal));
  assert.deepEqual([await first, await queue.take(signal), await queue.take(signal)], ['a', 'b', 'c']);
  await Promise.all(pushes);
});

test('an aborted push rejects with the reason and leaves nothing behind', async () => {
  const queue = new BoundedQueue<string>({ capacity: 1, whenFull: 'block' });
  await queue.push('kept', signal);
  const stop = new AbortController();
  const given = queue.push('given up', stop.signal);
  const behind = queue.push('behind', signal);
  stop.abort(new Error('enough'));
  await assert.rejects(given, { message: 'enough' });
  assert.equal(queue.waiting, 1);
  assert.deepEqual([await queue.take(signal), await queue.take(signal)], ['kept', 'behind']);
  await behind;
});

test('an aborted take loses no item', async () => {
  const queue = new BoundedQueue<string>({ capacity: 1, whenFull: 'block' });
  const stop = new AbortController();
  const given = queue.take(stop.signal);
  const behind = queue.take(signal);
  stop.abort(new Error('enough'));
  await assert.rejects(given, { message: 'enough' });
  await queue.push('item', signal);
  assert.equal(await behind, 'item');
  assert.equal(queue.waiting, 0);
});

test('an abort that comes after the item does not take it back', async () => {
  const queue = new BoundedQueue<string>({ capacity: 1, whenFull: 'block' });
  const stop = new AbortController();
  const take = queue.take(stop.signal);
  await queue.push('item', signal);
  stop.abort();
  assert.equal(await take, 'item');
});

test('an aborted signal is refused before anything happens', async () => {
  const queue = new BoundedQueue<string>({ capacity: 1, whenFull: 'block' });
  const aborted = AbortSignal.abort(new Error('enough'));
  await assert.rejects(queue.push('item', aborted), { message: 'enough' });
  assert.equal(queue.size, 0);
  await queue.push('item', signal);
  await assert.rejects(queue.take(aborted), { message: 'enough' });
  assert.equal(queue.size, 1);
});

test('closing refuses pushes, waiting ones too, and lets the rest be taken', async () => {
  const queue = new BoundedQueue<string>({ capacity: 1, whenFull: 'block' });
  await queue.push('in time', signal);
  const waiting = queue.push('too late', signal);
  queue.close();
  await assert.rejects(waiting, isClosed);
  await assert.rejects(queue.push('much too late', signal), isClosed);
  assert.equal(await queue.take(signal), 'in time');
  assert.equal(await queue.take(signal), undefined);
});

test('closing sends waiting takers home', async () => {
  const queue = new BoundedQueue<string>({ capacity: 1, whenFull: 'block' });
  const take = queue.take(signal);
  queue.close();
  assert.equal(await take, undefined);
});

test('iterating ends when the queue is closed and empty', async () => {
  const queue = new BoundedQueue<number>({ capacity: 4, whenFull: 'block' });
  for (const item of [1, 2, 3]) await queue.push(item, signal);
  queue.close();
  const seen: number[] = [];
  for await (const item of queue.items(signal)) seen.push(item);
  assert.deepEqual(seen, [1, 2, 3]);
});

test('iterating ends with the reason of an abort', async () => {
  const queue = new BoundedQueue<number>({ capacity: 4, whenFull: 'block' });
  const stop = new AbortController();
  const iterated = Array.fromAsync(queue.items(stop.signal));
  stop.abort(new Error('enough'));
  await assert.rejects(iterated, { message: 'enough' });
});

for (const capacity of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
  test(`a queue of ${capacity} is refused`, () => {
    assert.throws(() => new BoundedQueue({ capacity, whenFull: 'block' }), RangeError);
  });
}
