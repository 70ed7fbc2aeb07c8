import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { freshDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { defineActivity, implementActivity } from '../activity.ts';
import { defineWorkflow } from '../workflow.ts';
import { DURABLE_MIGRATIONS } from './durable-migrations.ts';
import { createEmbeddedEngine } from './embedded-engine.ts';

const breaks = defineActivity<null>('breaks', { retry: { attempts: 1, backoff: { baseMs: 1, capMs: 1 } } });

/** Starts steps, ignores all of them, and waits for a signal. */
const careless = defineWorkflow<null, string>('careless', async (ctx) => {
  const dropped = [ctx.run(breaks, null), ctx.waitSignal('never'), ctx.sleep(3_600_000)];
  await ctx.waitSignal('go');
  return `${dropped.length} were dropped`;
});

it('lets a workflow drop steps that fail or are cancelled, and goes on', async () => {
  const database = await freshDatabase('sqlite');
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const storage = await database.open([LEASE_MIGRATIONS, DURABLE_MIGRATIONS]);
  const failed = Promise.withResolvers<void>();
  const implementation = implementActivity(breaks, async () => {
    failed.resolve();
    throw new Error('broken');
  });
  const engine = createEmbeddedEngine({ storage, registry: { workflows: [careless], activities: [implementation] } });
  const stop = new AbortController();
  const running = engine.run(stop.signal);
  await engine.client.start(careless, { id: 'ends', input: null }, signal);
  await engine.client.start(careless, { id: 'is-cancelled', input: null }, signal);
  await failed.promise;
  await engine.client.signal('ends', { name: 'go', payload: null }, signal);
  assert.equal(await engine.client.result('ends', signal), '3 were dropped');
  await engine.client.cancel('is-cancelled', 'enough', signal);
  await assert.rejects(engine.client.result('is-cancelled', signal), { code: 'WORKFLOW_CANCELLED' });
  stop.abort();
  await running;
  await database.dispose();
});
