import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { DATABASES, freshDatabase, type TestDatabase } from '#testing/databases';
import type { Migration, MigrationModule } from './migrations.ts';
import { sql } from './sql.ts';
import { openDatabase } from './testing/open-database.ts';

const never = new AbortController().signal;

const step = (number: number, up: string, compatibleFrom = number - 1): Migration => ({
  number,
  name: `step ${number}`,
  compatibleFrom,
  up,
});
const FIRST = step(
  1,
  `CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT NOT NULL);
   CREATE TABLE keyed (id KEYTEXT PRIMARY KEY); INSERT INTO keyed VALUES ('kept')`,
);
const SECOND = step(2, `ALTER TABLE notes ADD COLUMN author TEXT; UPDATE notes SET text = 'changed'`);
const THIRD = step(3, 'CREATE INDEX notes_author ON notes (author)', 2);
const module = (...migrations: Migration[]): MigrationModule[] => [{ module: 'notes', migrations }];
const note = (id: number) => sql`INSERT INTO notes (id, text) VALUES (${id}, ${'as it was'})`;

for (const engine of DATABASES) {
  describe(`migrations on ${engine}`, () => {
    let database: TestDatabase;
    before(async () => {
      database = await freshDatabase(engine);
    });
    after(async () => await database.dispose());

    const using = async <T>(
      modules: MigrationModule[],
      body: (open: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
    ) => {
      const storage = await openDatabase(database, { modules });
      try {
        return await body(storage);
      } finally {
        await storage.close();
      }
    };

    it('brings an empty database up to date, without a snapshot of nothing', async () => {
      await using(module(FIRST), async (storage) => await storage.commit([note(1)], never));
      assert.deepEqual(await snapshots(database), []);
    });

    it('does what is new once, after a snapshot that holds what was there', async () => {
      await using(module(FIRST, SECOND), async (storage) => {
        assert.deepEqual(await storage.all(sql`SELECT text, author FROM notes`, never), [
          { text: 'changed', author: null },
        ]);
      });
      await using(module(FIRST, SECOND), async (storage) => {
        assert.equal((await storage.all(sql`SELECT number FROM schema_migrations`, never)).length, 2);
      });
      const taken = await snapshots(database);
      assert.equal(taken.length, 1);
      assert.deepEqual(await notesIn(database, taken[0] ?? ''), [{ id: 1, text: 'as it was' }]);
    });

    it('keeps nothing of a migration that breaks in the middle, and runs again once it is mended', async () => {
      const broken = step(3, 'CREATE TABLE half (id BIGINT); INSERT INTO nowhere VALUES (1)', 2);
      await assert.rejects(openDatabase(database, { modules: module(FIRST, SECOND, broken) }), {
        code: 'MIGRATION_FAILED',
      });
      await using(module(FIRST, SECOND, THIRD), async (storage) => {
        await assert.rejects(storage.all(sql`SELECT * FROM half`, never), { code: 'STATEMENT_REFUSED' });
      });
    });

    it('runs the previous release on the new schema', async () => {
      await using(module(FIRST, SECOND), async (storage) => await storage.commit([note(2)], never));
    });

    it('refuses a release that is too old for it, and one whose history was edited', async () => {
      await assert.rejects(openDatabase(database, { modules: module(FIRST) }), { code: 'SCHEMA_TOO_NEW' });
      const edited = step(2, 'ALTER TABLE notes ADD COLUMN author TEXT');
      await assert.rejects(openDatabase(database, { modules: module(FIRST, edited) }), { code: 'MIGRATION_CHANGED' });
    });

    it('keeps a bounded number of snapshots', async () => {
      const more = Array.from({ length: 9 }, (_, index) => step(index + 4, `CREATE TABLE more_${index} (id BIGINT)`));
      await using(module(FIRST, SECOND, THIRD, ...more), async () => {});
      const ofUpgrade = (await snapshots(database)).filter((name) => /notes.(4|5|6|7|8|9|10|11|12)$/.test(name));
      assert.equal(ofUpgrade.length, 9, 'an upgrade keeps what it took before each of its steps');
      await using(module(FIRST, SECOND, THIRD, ...more, step(13, 'CREATE TABLE last (id BIGINT)')), async () => {});
      const taken = await snapshots(database);
      assert.ok(taken.length >= 4 && taken.length <= 6, `${taken.length} snapshots`);
      assert.match(taken.at(-1) ?? '', /notes.13$/);
    });

    it('leaves snapshots whole when our own schema is dropped', {
      skip: engine === 'sqlite' && 'a snapshot is a file of its own',
    }, async () => {
      assert.equal(database.engine, 'postgres');
      if (database.engine !== 'postgres') return;
      const [first = ''] = await snapshots(database);
      const before = await asPostgres(database.url, `SELECT * FROM ${first}.keyed`);
      await asPostgres(database.url, 'ALTER SCHEMA fleetshift RENAME TO gone');
      await asPostgres(database.url, 'DROP SCHEMA gone CASCADE');
      assert.deepEqual(await asPostgres(database.url, `SELECT * FROM ${first}.keyed`), before);
      assert.deepEqual(before, [{ id: 'kept' }]);
    });

    it('lets several processes start at once, and migrates once', {
      skip: engine === 'sqlite' && 'one process owns a file',
    }, async () => {
      const empty = await freshDatabase(engine);
      const storages = await Promise.all([1, 2, 3].map(() => openDatabase(empty, { modules: module(FIRST, SECOND) })));
      await Promise.all(storages.map((storage) => storage.close()));
      await empty.dispose();
    });
  });
}

async function snapshots(database: TestDatabase): Promise<string[]> {
  if (database.engine === 'sqlite') {
    const folder = join(dirname(database.file), 'snapshots');
    return (await readdir(folder).catch(() => [])).toSorted((a, b) => (a < b ? -1 : 1));
  }
  const found = await asPostgres(
    database.url,
    "SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE '%\\_before\\_%' ORDER BY nspname",
  );
  return found.map((row) => String(row['name']));
}

async function notesIn(database: TestDatabase, snapshot: string): Promise<unknown[]> {
  if (database.engine === 'postgres') {
    const rows = await asPostgres(database.url, `SELECT id, text FROM ${snapshot}.notes`);
    return rows.map((row) => ({ ...row, id: Number(row['id']) }));
  }
  const copy = new DatabaseSync(join(dirname(database.file), 'snapshots', snapshot), { readOnly: true });
  const rows = copy.prepare('SELECT id, text FROM notes').all();
  copy.close();
  return rows.map((row) => ({ ...row }));
}

async function asPostgres(url: string, query: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.end();
  }
}
