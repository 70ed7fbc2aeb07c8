import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from '../sql.ts';
import { gate } from './gate.ts';
import { MemoryStorage } from './memory-storage.ts';

const THINGS = {
  module: 'things',
  migrations: [
    {
      number: 1,
      name: 'things',
      compatibleFrom: 0,
      up: `CREATE TABLE things (id KEYTEXT PRIMARY KEY, version BIGINT NOT NULL);
        CREATE TABLE parts (id KEYTEXT PRIMARY KEY, thing KEYTEXT NOT NULL REFERENCES things (id))`,
    },
  ],
};
const never = new AbortController().signal;
const insert = (id: string) => sql`INSERT INTO things (id, version) VALUES (${id}, ${1})`;
const count = sql`SELECT count(*) AS n FROM things`;

/** What a simulation relies on. The real engines have a contract suite of their own. */
describe('SQLite in memory', () => {
  it('commits a batch or a body as a whole, or not at all', async (t) => {
    const storage = opened(t);
    await storage.commit([insert('a'), sql`INSERT INTO parts (id, thing) VALUES (${'p'}, ${'a'})`], never);
    await assert.rejects(storage.commit([insert('b'), insert('a')], never), { code: 'UNIQUE_VIOLATED' });
    const stale = sql.expect(1, sql`UPDATE things SET version = 3 WHERE version = ${2}`);
    await assert.rejects(storage.commit([insert('b'), stale], never), { code: 'GUARD_FAILED' });
    const swallows = storage.write(async (tx) => {
      await tx.run(insert('b'));
      await tx.run(insert('a')).catch(() => {});
    }, never);
    await assert.rejects(swallows, { code: 'UNIQUE_VIOLATED' });
    assert.equal((await storage.get(count, never))?.['n'], 1);
  });

  it('rolls back a body that is given up, and refuses what the body still asks for', async (t) => {
    const storage = opened(t);
    const [began, late, over] = [gate(), gate(), gate()];
    const stop = new AbortController();
    let refused: unknown;
    const body = storage.write(async (tx) => {
      await tx.run(insert('a'));
      began.open();
      await late.passed;
      refused = await tx.run(insert('b')).catch((error: unknown) => error);
      over.open();
    }, stop.signal);
    await began.passed;
    stop.abort(new Error('enough'));
    await assert.rejects(body, /enough/);
    late.open();
    await over.passed;
    assert.equal((refused as { code?: string }).code, 'CLOSED');
    assert.equal((await storage.get(count, never))?.['n'], 0);
  });

  it('runs one operation after another, in the order of the calls', async (t) => {
    const storage = opened(t);
    const open = gate();
    const first = storage.write(async (tx) => {
      await open.passed;
      await tx.run(insert('a'));
    }, never);
    const second = storage.get(count, never);
    open.open();
    await first;
    assert.equal((await second)?.['n'], 1);
  });

  it('announces what was committed, and is empty again when cleared', async (t) => {
    const storage = opened(t);
    let heard = 0;
    storage.onAnnounced('things', () => {
      heard += 1;
    });
    const announced = (id: string) => storage.commit([sql.announce('things', insert(id))], never);
    await announced('a');
    await assert.rejects(announced('a'));
    assert.equal(heard, 1);
    storage.clear();
    assert.equal((await storage.get(count, never))?.['n'], 0);
  });
});

function opened(t: TestContext): MemoryStorage {
  const storage = new MemoryStorage([THINGS]);
  t.after(() => storage.close());
  return storage;
}
