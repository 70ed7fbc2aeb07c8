import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Statement, type Storage, StorageError, sql } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { eachDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { defineWorkflow } from '../workflow.ts';
import { DURABLE_MIGRATIONS } from './durable-migrations.ts';
import { createEmbeddedEngine } from './embedded-engine.ts';

const POISON = 'poison';

const listens = defineWorkflow<null, string>('listens', async (ctx) => {
  const words = [await ctx.waitSignal<string>('word'), await ctx.waitSignal<string>('word')];
  return words.join(' ');
});

/**
 * Refuses the history of the poisoned workflow, like a database with a constraint against it, and accepts everything
 * else.
 */
function fussy(storage: Storage): Storage {
  const isPoisoned = ({ parts, values }: Statement): boolean =>
    parts.join('').includes('durable_history') && values.some((value) => String(value).includes(POISON));
  return {
    engine: storage.engine,
    all: (statement, signal) => storage.all(statement, signal),
    get: (statement, signal) => storage.get(statement, signal),
    read: (body, signal) => storage.read(body, signal),
    write: (body, signal) => storage.write(body, signal),
    commit: async (batch, signal) => {
      if (batch.some(isPoisoned)) throw new StorageError('CHECK_VIOLATED', 'commit what was poisoned');
      return await storage.commit(batch, signal);
    },
    onAnnounced: (topic, listener) => storage.onAnnounced(topic, listener),
    announce: (topic, signal) => storage.announce(topic, signal),
    close: () => storage.close(),
  };
}

eachDatabase('a turn that the database refuses', (fresh) => {
  it('parks its workflow, which keeps its mail, and lets the others go on', async () => {
    const database = await fresh();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const storage = await database.open([LEASE_MIGRATIONS, DURABLE_MIGRATIONS]);
    const registry = { workflows: [listens], activities: [] };
    const parked = Promise.withResolvers<void>();
    const onFact = ({ kind }: { kind: string }): void => (kind === 'parked' ? parked.resolve() : undefined);
    const first = createEmbeddedEngine({ storage: fussy(storage), registry, leaseMs: 1_000, onFact });
    for (const id of ['good', 'bad']) await first.client.start(listens, { id, input: null }, signal);
    for (const id of ['good', 'bad']) await first.client.signal(id, { name: 'word', payload: 'one' }, signal);
    await first.client.signal('good', { name: 'word', payload: 'two' }, signal);
    await first.client.signal('bad', { name: 'word', payload: POISON }, signal);

    const stop = new AbortController();
    const running = first.run(stop.signal);
    await parked.promise;
    assert.equal(await first.client.result('good', signal), 'one two');
    stop.abort();
    await running;
    const mail = await storage.all(sql`SELECT payload FROM durable_mail ORDER BY seq`, signal);
    assert.ok(
      mail.some(({ payload }) => String(payload).includes(POISON)),
      'its mail is gone although nobody has read it',
    );

    const again = new AbortController();
    const second = createEmbeddedEngine({ storage, registry, leaseMs: 1_000 });
    const recovered = second.run(again.signal);
    assert.equal(await second.client.result('bad', signal), `one ${POISON}`);
    again.abort();
    await recovered;
    assert.deepEqual(await storage.all(sql`SELECT seq FROM durable_mail`, signal), []);
    await database.dispose();
  });
});
