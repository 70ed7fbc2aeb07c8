import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sleep } from '#kit/std';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { eachDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { defineWorkflow } from '../workflow.ts';
import { DURABLE_MIGRATIONS } from './durable-migrations.ts';
import { createEmbeddedEngine } from './embedded-engine.ts';

const waits = defineWorkflow<null, string>('waits', async (ctx) => (await ctx.waitSignal<string>('go')) ?? '');

eachDatabase('an executor that stops', (fresh) => {
  it('gives its lease back, so that the next begins at once and not when the time is over', async () => {
    const database = await fresh();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const storage = await database.open([LEASE_MIGRATIONS, DURABLE_MIGRATIONS]);
    const leading = async (): Promise<() => Promise<void>> => {
      const leads = Promise.withResolvers<void>();
      const engine = createEmbeddedEngine({
        storage,
        registry: { workflows: [waits], activities: [] },
        leaseMs: 30_000,
        // A standby checks the lease a few times per lease period; here it checks often.
        sleep: (ms, stop) => sleep(Math.min(ms, 50), stop),
        onFact: ({ kind }) => (kind === 'leading' ? leads.resolve() : undefined),
      });
      const stop = new AbortController();
      const running = engine.run(stop.signal);
      await Promise.race([leads.promise, rejectOn(signal)]);
      return async () => {
        stop.abort();
        await running;
      };
    };
    const stopFirst = await leading();
    await stopFirst();
    const stopSecond = await leading();
    await stopSecond();
    assert.ok(!signal.aborted);
    await database.dispose();
  });
});

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
