import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { KeyedQueue } from './keyed-queue.ts';
import { createResync } from './resync.ts';
import { takeNow } from './testing/take-now.ts';

test('every key comes again in each round, spread, behind what is more urgent, until the stop', async () => {
  const clock = new FakeClock(0);
  const queue = new KeyedQueue({ clock, sleep: clock.sleep });
  const draws = [0.5, 0, 0.99, 1];
  const random = (): number => draws.shift() ?? 0;
  const stop = new AbortController();
  const resync = createResync({
    name: 'resync',
    queue,
    keys: () => ['a', 'b'],
    everyMs: 1_000,
    sleep: clock.sleep,
    random,
  });
  const done = resync.run(stop.signal);
  await clock.advance(999);
  assert.equal(queue.size, 0);
  await clock.advance(1);
  queue.add('urgent');
  assert.deepEqual([await takeNow(queue), await takeNow(queue), await takeNow(queue)], ['urgent', 'a', undefined]);
  await clock.advance(99);
  assert.equal(await takeNow(queue), 'b', 'spread over a tenth of the round');
  for (const key of ['urgent', 'a', 'b']) queue.done(key);
  await clock.advance(1_000);
  assert.equal(await takeNow(queue), undefined, 'this round is a tenth longer');
  await clock.advance(1);
  assert.equal(await takeNow(queue), 'a');
  stop.abort(new Error('stop'));
  await assert.rejects(done, { message: 'stop' });
});
