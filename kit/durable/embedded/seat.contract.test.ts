import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '#kit/std';
import type { Storage } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { freshDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../testing/eventually.ts';
import { defineWorkflow } from '../workflow.ts';
import { DURABLE_MIGRATIONS } from './durable-migrations.ts';
import { createEmbeddedEngine } from './embedded-engine.ts';

const waits = defineWorkflow<null, string>('waits', async (ctx) => (await ctx.waitSignal<string>('go')) ?? '');

/** Collects the kinds of its facts: `leading`, `interrupted` and so on. */
function start(storage: Storage, seat: string) {
  const did: string[] = [];
  const engine = createEmbeddedEngine({
    storage,
    registry: { workflows: [waits], activities: [] },
    // Longer than the test takes: the lease cannot be taken over by waiting for it to expire.
    leaseMs: 600_000,
    sleep: (ms, stop) => sleep(Math.min(ms, 20), stop),
    onFact: ({ kind }) => did.push(kind),
    seat,
  });
  const stopping = new AbortController();
  const running = engine.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  return { did, client: engine.client, stop };
}

// On SQLite there is one process, and no lease to wait for.
test('an executor in the seat of one that is gone begins at once; one that was ousted does not come back', async () => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const database = await freshDatabase('postgres');
  const storage = await database.open([LEASE_MIGRATIONS, DURABLE_MIGRATIONS]);
  const first = start(storage, 'folder');
  await eventually('the first to lead', () => first.did.includes('leading'));
  const second = start(storage, 'folder');
  await eventually('the second to lead', () => second.did.includes('leading'));
  await first.client.start(waits, { id: 'one', input: null }, signal);
  // Both are notified of each new workflow. The first finds out that it may no longer write when it happens to be
  // faster.
  let begun = 0;
  await eventually('the first to notice', async () => {
    if (first.did.includes('interrupted')) return true;
    begun += 1;
    await first.client.start(waits, { id: `more-${begun}`, input: null }, signal);
    return false;
  });
  await first.client.signal('one', { name: 'go', payload: 'on' }, signal);
  assert.equal(await first.client.result('one', signal), 'on');
  for (const { did } of [first, second]) assert.equal(did.filter((kind) => kind === 'leading').length, 1);
  await Promise.all([first.stop(), second.stop()]);
  await database.dispose();
});
