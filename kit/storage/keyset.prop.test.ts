import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { DATABASES, freshDatabase, type TestDatabase } from '#testing/databases';
import { type Keyset, keyset } from './keyset.ts';
import type { Storage } from './port.ts';
import { sql } from './sql.ts';
import { openDatabase } from './testing/open-database.ts';

const LIST = {
  module: 'list',
  migrations: [
    { number: 1, name: 'list', compatibleFrom: 0, up: 'CREATE TABLE list (a KEYTEXT, b BIGINT, PRIMARY KEY (a, b))' },
  ],
};
const never = new AbortController().signal;
const entry = fc.tuple(fc.stringMatching(/^[a-zA-Z0-9-]{1,4}$/), fc.integer({ min: 0, max: 3 }));

for (const engine of DATABASES) {
  describe(`keyset pages on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    before(async () => {
      database = await freshDatabase(engine);
      storage = await openDatabase(database, { modules: [LIST] });
    });
    after(async () => {
      await storage.close();
      await database.dispose();
    });

    it('give the whole list once, in byte order, whatever the size of a page', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(entry, { selector: ([a, b]) => `${a}/${b}`, maxLength: 20 }),
          fc.integer({ min: 1, max: 7 }),
          async (entries, limit) => {
            const fill = entries.map(([a, b]) => sql`INSERT INTO list (a, b) VALUES (${a}, ${b})`);
            await storage.commit([sql`DELETE FROM list`, ...fill], never);
            const wanted = entries.toSorted(([a, n], [b, m]) => (a === b ? n - m : a < b ? -1 : 1));
            assert.deepEqual(await pages(storage, limit), wanted);
          },
        ),
        { numRuns: 60 },
      );
    });

    it('refuse a place that belongs to another list', () => {
      assert.throws(() => keyset({ columns: ['a', 'b'], after: ['x'], limit: 1 }), TypeError);
      assert.throws(() => keyset({ columns: ['a; DROP TABLE list'], limit: 1 }), TypeError);
    });
  });
}

async function pages(storage: Storage, limit: number): Promise<unknown[]> {
  const all: unknown[] = [];
  let after: Keyset | undefined;
  for (;;) {
    const page = keyset({ columns: ['a', 'b'], after, limit });
    const rows = await storage.all(sql`SELECT a, b FROM list WHERE ${page.where} ${page.tail}`, never);
    all.push(...rows.map((row) => [row['a'], row['b']]));
    const last = rows.at(-1);
    if (last === undefined) return all;
    after = [last['a'] ?? null, last['b'] ?? null];
  }
}
