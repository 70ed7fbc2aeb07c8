import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sleep } from '#kit/std';
import { sql } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { eachDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { defineActivity, implementActivity } from '../activity.ts';
import { defineWorkflow } from '../workflow.ts';
import { DURABLE_MIGRATIONS } from './durable-migrations.ts';
import { createEmbeddedEngine } from './embedded-engine.ts';
import { forgetEnded } from './retention.ts';

const DAY_MS = 24 * 3_600_000;
const act = defineActivity<null, string>('act');
const ends = defineWorkflow<null, string>('ends', (ctx) => ctx.run(act, null));
const waits = defineWorkflow<null, string>('waits', async (ctx) => {
  await ctx.run(act, null);
  return (await ctx.waitSignal<string>('go')) ?? '';
});

eachDatabase('retention', (fresh) => {
  it('forgets what ended long enough ago, with its history, and nothing that is still open', async () => {
    const database = await fresh();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const storage = await database.open([LEASE_MIGRATIONS, DURABLE_MIGRATIONS]);
    const activities = [implementActivity(act, async () => 'done')];
    const engine = createEmbeddedEngine({ storage, registry: { workflows: [ends, waits], activities } });
    const { client } = engine;
    const stop = new AbortController();
    const running = engine.run(stop.signal);
    await client.start(ends, { id: 'ended', input: null }, signal);
    await client.start(waits, { id: 'open', input: null }, signal);
    await client.result('ended', signal);

    const forget = (ageMs: number) =>
      forgetEnded({ storage, sleep, retentionMs: DAY_MS, clock: { now: () => Date.now() + ageMs } }, signal);
    assert.equal(await forget(DAY_MS / 2), 0);
    assert.equal((await client.history('ended', signal)).length, 1);
    assert.equal(await forget(2 * DAY_MS), 1);
    await assert.rejects(client.describe('ended', signal), { code: 'WORKFLOW_NOT_FOUND' });
    const rows = await storage.all(sql`SELECT workflow FROM durable_history WHERE workflow = ${'ended'}`, signal);
    assert.deepEqual(rows, []);

    await client.signal('open', { name: 'go', payload: 'on' }, signal);
    assert.equal(await client.result('open', signal), 'on');
    stop.abort();
    await running;
    await database.dispose();
  });
});
