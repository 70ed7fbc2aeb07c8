import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { PATIENCE_MS } from '#testing/patience';
import { fakeClient } from '../testing/fake-client.ts';
import { waitFor } from '../testing/wait-for.ts';
import { CORE } from './core-resources.ts';

test('a client keeps to its rate, and what is urgent goes first', async (t) => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const clock = new FakeClock();
  const options = { clock, sleep: clock.sleep, rateLimit: { perSecond: 1, burst: 1 } };
  const { fake, client } = await fakeClient(t, {}, options);
  const namespaces = { resource: CORE.namespaces };
  await client.list(namespaces, {}, signal);
  const asking = (['low', 'normal', 'high'] as const).map((priority) =>
    client.withPriority(priority).list(namespaces, { labelSelector: `priority=${priority}` }, signal),
  );
  for (const answered of [1, 2, 3]) {
    await clock.untilSleeping();
    assert.equal(fake.requests.length, answered, 'one a second');
    await clock.advance(1_000);
    await waitFor(() => assert.equal(fake.requests.length, answered + 1), signal);
  }
  await Promise.all(asking);
  assert.deepEqual(
    fake.requests.slice(1).map(({ query }) => query.get('labelSelector')),
    ['priority=high', 'priority=normal', 'priority=low'],
  );
});
