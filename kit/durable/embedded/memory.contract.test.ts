import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Sleep } from '#kit/std';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { eachDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../testing/eventually.ts';
import { defineWorkflow } from '../workflow.ts';
import { DURABLE_MIGRATIONS } from './durable-migrations.ts';
import { createEmbeddedEngine, type EmbeddedEngineOptions } from './embedded-engine.ts';

/** How often each body was run: once, and once more for each replay. */
const runs = new Map<string, number>();

const waits = defineWorkflow<null, string>('waits', async (ctx) => {
  runs.set(ctx.workflowId, (runs.get(ctx.workflowId) ?? 0) + 1);
  return (await ctx.waitSignal<string>('go')) ?? '';
});
const sleeps = defineWorkflow<{ ms: number }, string>('sleeps', async (ctx, { ms }) => {
  await ctx.sleep(ms);
  return 'slept';
});

const HOUR_MS = 3_600_000;
/** More than the engine keeps in memory while they wait. */
const MANY = 1_050;

eachDatabase('the memory of an engine', (fresh, engine) => {
  async function anEngine(t: { after(end: () => Promise<void>): void }, settings: Partial<EmbeddedEngineOptions> = {}) {
    const database = await fresh();
    const storage = await database.open([LEASE_MIGRATIONS, DURABLE_MIGRATIONS]);
    const registry = { workflows: [waits, sleeps], activities: [] };
    const durable = createEmbeddedEngine({ storage, registry, ...settings });
    const stop = new AbortController();
    const running = durable.run(stop.signal);
    t.after(async () => {
      stop.abort();
      await running;
      await database.dispose();
    });
    return durable.client;
  }

  it('holds a limited number of workflows that wait, and continues the others from their history', async (t) => {
    const client = await anEngine(t);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    runs.clear();
    const ids = Array.from({ length: MANY }, (_, nth) => `w-${String(nth).padStart(4, '0')}`);
    const isWaiting = async (id: string) => (await client.describe(id, signal)).waitingFor.length === 1;
    await Promise.all(ids.map((id) => client.start(waits, { id, input: null }, signal)));
    for (const id of ids) await eventually(`${id} to wait`, () => isWaiting(id));
    const before = new Map(runs);
    for (const [nth, id] of ids.entries()) await client.signal(id, { name: 'go', payload: `${nth}` }, signal);
    const results = await Promise.all(ids.map((id) => client.result(id, signal)));
    assert.deepEqual(
      results,
      ids.map((_, nth) => `${nth}`),
    );
    const replayed = ids.filter((id) => runs.get(id) !== before.get(id)).length;
    assert.ok(replayed >= MANY - 1_000, `${replayed} were replayed, though no more than 1,000 may be in memory`);
    assert.ok(replayed < MANY / 2, `${replayed} were replayed, though most were in memory`);
  });

  it('costs nothing while there is nothing to do: it rests until the next timer or announcement', async (t) => {
    const rests: number[] = [];
    // Ends with its signal alone: whatever continues was woken by an announcement.
    const sleep: Sleep = (ms, stop) => {
      rests.push(ms);
      const { promise, reject } = Promise.withResolvers<never>();
      stop.addEventListener('abort', () => reject(stop.reason), { once: true });
      return promise;
    };
    const client = await anEngine(t, { sleep });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    await client.start(waits, { id: 'w', input: null }, signal);
    await eventually('it to wait', async () => (await client.describe('w', signal)).waitingFor.length === 1);
    const longest = (): number => Math.max(0, ...rests);
    // With other processes on the database the lease has to be renewed meanwhile.
    await eventually('the engine to rest', () => (engine === 'sqlite' ? longest() === HOUR_MS : longest() > 1_000));
    rests.length = 0;
    await client.start(sleeps, { id: 's', input: { ms: 1_000 } }, signal);
    await eventually('the engine to rest until the timer', () => rests.some((ms) => ms > 0 && ms <= 1_000));
    await client.signal('w', { name: 'go', payload: 'woken' }, signal);
    assert.equal(await client.result('w', signal), 'woken');
  });
});
