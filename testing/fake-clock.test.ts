import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from './fake-clock.ts';

const signal = new AbortController().signal;

test('sleepers wake at their moment, the earliest first', async () => {
  const clock = new FakeClock(1_000);
  const woken: string[] = [];
  const sleeps = [300, 100, 200].map((ms) => clock.sleep(ms, signal).then(() => woken.push(`${ms}@${clock.now()}`)));
  await clock.advance(200);
  assert.deepEqual(woken, ['100@1100', '200@1200']);
  await clock.advance(100);
  await Promise.all(sleeps);
  assert.deepEqual(woken, ['100@1100', '200@1200', '300@1300']);
});

test('a sleep begun on waking is met within the same stretch', async () => {
  const clock = new FakeClock(0);
  const at: number[] = [];
  const loop = (async () => {
    for (let round = 0; round < 3; round += 1) {
      await clock.sleep(10, signal);
      at.push(clock.now());
    }
  })();
  await clock.advance(25);
  assert.deepEqual(at, [10, 20]);
  assert.equal(clock.now(), 25);
  await clock.advance(5);
  await loop;
});

test('a sleep ends with the reason of its signal and is forgotten', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const slept = clock.sleep(10, stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(slept, { message: 'enough' });
  assert.equal(clock.sleeping, 0);
  await assert.rejects(clock.sleep(10, stop.signal), { message: 'enough' });
});

test('a test can wait until somebody sleeps', async () => {
  const clock = new FakeClock();
  const both = clock.untilSleeping(2);
  const sleeps = [clock.sleep(1, signal), clock.sleep(1, signal)];
  await both;
  await clock.advance(1);
  await Promise.all(sleeps);
});

test('a corrected clock wakes nobody', async () => {
  const clock = new FakeClock(100);
  const slept = clock.sleep(10, signal);
  clock.set(50);
  assert.equal(clock.now(), 50);
  assert.equal(clock.sleeping, 1);
  await clock.advance(60);
  await slept;
});
