import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Mutex, Semaphore } from './semaphore.ts';

const { signal } = new AbortController();

describe('a semaphore', () => {
  it('admits so many at a time, in order of arrival', async () => {
    const semaphore = new Semaphore(2);
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const inside: number[] = [];
    const runs = gates.map(async ({ promise }, index) => {
      await semaphore.run(async () => {
        inside.push(index);
        await promise;
      }, signal);
    });
    assert.deepEqual(inside, [0, 1], 'without a turn of the event loop');
    gates[1]?.resolve();
    await runs[1];
    await nextTurn();
    assert.deepEqual(inside, [0, 1, 2]);
    assert.equal(semaphore.isIdle, false);
    for (const { resolve } of gates) resolve();
    await Promise.all(runs);
    assert.deepEqual(inside, [0, 1, 2, 3]);
    assert.equal(semaphore.isIdle, true);
  });

  it('loses no permit to a caller that aborted, nor to one that failed', async () => {
    const semaphore = new Semaphore(1);
    const gate = Promise.withResolvers<void>();
    const first = semaphore.run(async () => await gate.promise, signal);
    const abort = new AbortController();
    const second = semaphore.run(async () => {}, abort.signal);
    abort.abort();
    await assert.rejects(second, { name: 'AbortError' });
    gate.resolve();
    await first;
    const failing = semaphore.run(async () => {
      throw new Error('no');
    }, signal);
    await assert.rejects(failing, { message: 'no' });
    assert.equal(await semaphore.run(async () => 7, signal), 7);
    assert.equal(semaphore.isIdle, true);
  });

  it('passes on a permit that was granted just before an abort', async () => {
    const semaphore = new Semaphore(1);
    const release = await semaphore.acquire(signal);
    const abort = new AbortController();
    const second = semaphore.acquire(abort.signal);
    const third = semaphore.acquire(signal);
    abort.abort();
    release();
    await assert.rejects(second, { name: 'AbortError' });
    (await third)();
    assert.equal(semaphore.isIdle, true);
  });

  it('gets a permit back once, however often it is given back', async () => {
    const semaphore = new Semaphore(1);
    const order: string[] = [];
    const first = await semaphore.acquire(signal);
    const second = semaphore.acquire(signal).then((release) => {
      order.push('second');
      return release;
    });
    const third = semaphore.acquire(signal).then((release) => {
      order.push('third');
      return release;
    });
    first();
    first();
    const release = await second;
    await nextTurn();
    assert.deepEqual(order, ['second']);
    release();
    await third;
  });

  it('has at least one permit', () => {
    assert.throws(() => new Semaphore(0), RangeError);
  });
});

describe('a mutex', () => {
  it('runs one body at a time', async () => {
    const mutex = new Mutex();
    const gate = Promise.withResolvers<void>();
    const did: string[] = [];
    const first = mutex.run(async () => {
      await gate.promise;
      did.push('first');
    }, signal);
    const second = mutex.run(async () => void did.push('second'), signal);
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(did, ['first', 'second']);
  });
});
