import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '#kit/std';
import { memoryLogger } from '../testing/governance-api.ts';
import { HeadShipper } from './head-shipper.ts';

test('a receiver that is away gets the newest head once it is back, and holds up no one', async () => {
  const stop = new AbortController();
  const logged: string[] = [];
  const received: number[] = [];
  const done = Promise.withResolvers<void>();
  let failures = 2;
  const shipper: HeadShipper = new HeadShipper({
    sleep: (_ms, signal) => sleep(0, signal),
    log: memoryLogger(logged),
    send: async ({ position }) => {
      if (failures > 0) {
        failures -= 1;
        shipper.offer({ position: position + 1, hash: 'h', time: 't' });
        throw new TypeError('fetch failed');
      }
      received.push(position);
      done.resolve();
    },
  });
  const running = shipper.run(stop.signal);
  shipper.offer({ position: 1, hash: 'h', time: 't' });
  await done.promise;
  stop.abort();
  await running;
  assert.deepEqual(received, [3]);
  assert.equal(logged.filter((line) => line.startsWith('head of the audit log not shipped; retrying')).length, 2);
});

test('heads arrive one at a time and in order, and what came meanwhile is skipped but for the newest', async () => {
  const stop = new AbortController();
  const received: number[] = [];
  const done = Promise.withResolvers<void>();
  let underWay = 0;
  const shipper: HeadShipper = new HeadShipper({
    sleep: (_ms, signal) => sleep(0, signal),
    log: memoryLogger([]),
    send: async ({ position }) => {
      underWay += 1;
      assert.equal(underWay, 1);
      if (position === 1) for (const later of [2, 3, 4]) shipper.offer({ position: later, hash: 'h', time: 't' });
      await sleep(0, stop.signal);
      received.push(position);
      underWay -= 1;
      if (position === 4) done.resolve();
    },
  });
  const running = shipper.run(stop.signal);
  shipper.offer({ position: 1, hash: 'h', time: 't' });
  await done.promise;
  stop.abort();
  await running;
  assert.deepEqual(received, [1, 4]);
});
