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
