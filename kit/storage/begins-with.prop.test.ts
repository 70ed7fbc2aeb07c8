import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { eachDatabase } from '#testing/databases';
import { beginsWith } from './begins-with.ts';
import { sql } from './sql.ts';
import { openDatabase } from './testing/open-database.ts';

const PATHS = {
  module: 'paths',
  migrations: [{ number: 1, name: 'paths', compatibleFrom: 0, up: 'CREATE TABLE paths (path KEYTEXT PRIMARY KEY)' }],
};
const never = new AbortController().signal;
const name = fc.constantFrom('a', 'a-b', 'a0', 'A', 'ab', 'z');
const path = fc.array(name, { maxLength: 3 }).map((names) => `/${names.map((each) => `${each}/`).join('')}`);

eachDatabase('paths that begin with a path', (fresh) => {
  it('are those that JavaScript finds', async (t) => {
    const database = await fresh();
    const storage = await openDatabase(database, { modules: [PATHS] });
    t.after(async () => {
      await storage.close();
      await database.dispose();
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(path, { minLength: 1, maxLength: 12 }), path, async (paths, start) => {
        await storage.commit(
          [sql`DELETE FROM paths`, ...paths.map((each) => sql`INSERT INTO paths VALUES (${each})`)],
          never,
        );
        const query = sql`SELECT path FROM paths WHERE ${beginsWith(sql`path`, start)} ORDER BY path`;
        const found = (await storage.all(query, never)).map((row) => String(row['path']));
        assert.deepEqual(found.toSorted(), paths.filter((each) => each.startsWith(start)).toSorted());
      }),
      { numRuns: 40 },
    );
  });
});
