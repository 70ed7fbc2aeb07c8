import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { appendEvents, createEventLog, createSequencer, OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { DATABASES, freshDatabase, type TestDatabase } from '#testing/databases';
import type { MigrationModule } from '../migrations.ts';
import type { Storage } from '../port.ts';
import { sql } from '../sql.ts';
import {
  type DumpRecord,
  dumpDatabase,
  formatRecord,
  parseRecord,
  readSchema,
  restoreDump,
  type SchemaLevel,
} from './index.ts';

const signal = new AbortController().signal;

/** Everything that can go wrong between two engines: references to later rows, bytes, fractions, NULLs, assigned numbers. */
const THINGS: MigrationModule = {
  module: 'things',
  migrations: [
    {
      number: 1,
      name: 'things',
      compatibleFrom: 0,
      up: {
        sqlite: `${table('INTEGER PRIMARY KEY AUTOINCREMENT')} INSERT INTO things (name, parent) VALUES ('seeded', NULL);`,
        postgres: `${table('BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY')} INSERT INTO things (name, parent) VALUES ('seeded', NULL);`,
      },
    },
    {
      number: 2,
      name: 'shout',
      compatibleFrom: 1,
      up: 'ALTER TABLE things ADD COLUMN loud TEXT; UPDATE things SET loud = upper(name);',
    },
  ],
};
const OLD_THINGS = { ...THINGS, migrations: THINGS.migrations.slice(0, 1) };

function table(ticket: string): string {
  return `
CREATE TABLE things (
  name KEYTEXT PRIMARY KEY,
  parent KEYTEXT REFERENCES things (name),
  blob ${ticket.startsWith('INTEGER') ? 'BLOB' : 'BYTEA'},
  weight DOUBLE PRECISION,
  big BIGINT,
  "order" TEXT
);
CREATE TABLE tickets (ticket ${ticket}, kind TEXT NOT NULL);
CREATE TABLE pairs (a BIGINT NOT NULL, b KEYTEXT NOT NULL, c TEXT, PRIMARY KEY (b, a));`;
}

interface Dump {
  readonly schema: SchemaLevel[];
  readonly lines: string[];
}

async function dumpOf(storage: Storage): Promise<Dump> {
  return await storage.read(async (reader) => {
    const lines: string[] = [];
    for await (const record of dumpDatabase(reader, storage.engine)) lines.push(formatRecord(record));
    return { schema: await readSchema(reader), lines };
  }, signal);
}

async function* recordsOf(lines: readonly string[]): AsyncGenerator<DumpRecord> {
  for (const line of lines) yield parseRecord(line);
}

async function fill(storage: Storage): Promise<void> {
  const event = (n: number) => ({ id: `e${n}`, type: 't', key: `k${n}`, time: n, data: { n } });
  await storage.commit(
    [
      sql`INSERT INTO things (name, parent) VALUES ('z', NULL)`,
      sql`INSERT INTO things (name, parent, blob, weight, big, "order") VALUES
        ('a', 'z', ${new Uint8Array([0, 255, 10])}, ${1.5}, ${Number.MAX_SAFE_INTEGER}, ${'naïve 🗼 "quoted"\n'})`,
      sql`DELETE FROM things WHERE name = 'seeded'`,
      ...Array.from({ length: 5 }, (_, n) => sql`INSERT INTO tickets (kind) VALUES (${`kind ${n}`})`),
      sql`DELETE FROM tickets WHERE ticket > ${3}`,
      ...Array.from({ length: 450 }, (_, n) => sql`INSERT INTO pairs (a, b, c) VALUES (${n % 7}, ${`b${n}`}, ${null})`),
      ...appendEvents([1, 2, 3].map(event)),
    ],
    signal,
  );
  if (storage.engine === 'sqlite') return;
  await sequenced(storage);
  await storage.commit(appendEvents([4, 5].map(event)), signal);
}

/** Events 1 to 3 have their positions; 4 and 5 are not sequenced yet. */
async function sequenced(storage: Storage): Promise<void> {
  const stop = new AbortController();
  const running = createSequencer({ storage }).run(stop.signal);
  const log = createEventLog(storage);
  while ((await log.lastPosition(signal)) < 3) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await running;
}

for (const from of DATABASES) {
  for (const to of DATABASES) {
    describe(`a dump from ${from} to ${to}`, () => {
      let source: TestDatabase;
      let target: TestDatabase;
      let storage: Storage;
      before(async () => {
        [source, target] = [await freshDatabase(from), await freshDatabase(to)];
        storage = await source.open([OUTBOX_MIGRATIONS, OLD_THINGS]);
        await fill(storage);
      });
      after(async () => {
        await source.dispose();
        await target.dispose();
      });

      const options = (dump: Dump, modules = [OUTBOX_MIGRATIONS, THINGS]) => ({
        target,
        modules,
        schema: dump.schema,
        records: recordsOf(dump.lines),
      });
      const leftovers = async (): Promise<string[]> => {
        if (target.engine === 'sqlite') return readdirSync(dirname(target.file));
        const probe = await target.open([]);
        const rows = await probe.all<{ name: string }>(
          sql`SELECT nspname::text AS name FROM pg_namespace WHERE nspname LIKE 'fleetshift%'`,
          signal,
        );
        const tables = await probe.all(sql`SELECT 1 AS one FROM pg_tables WHERE schemaname = 'fleetshift'`, signal);
        await probe.close();
        return rows.map(({ name }) => name).filter((name) => name !== 'fleetshift' || tables.length > 1);
      };

      for (const { why, spoil, code } of [
        { why: 'cut short', spoil: (lines: string[]) => lines.slice(0, -1), code: 'DUMP_DAMAGED' },
        {
          why: 'without a row',
          spoil: (lines: string[]) => lines.filter((line) => !line.includes('"b17"')),
          code: 'DUMP_DAMAGED',
        },
        {
          why: 'with a changed row',
          spoil: (lines: string[]) => lines.map((line) => line.replace('"b17"', '"c17"')),
          code: 'DUMP_DAMAGED',
        },
        {
          why: 'with a row twice',
          spoil: (lines: string[]) => lines.flatMap((line) => (line.includes('"b17"') ? [line, line] : [line])),
          code: 'UNIQUE_VIOLATED',
        },
        {
          why: 'that goes on behind its end',
          spoil: (lines: string[]) => [...lines, lines.at(-1) ?? ''],
          code: 'DUMP_DAMAGED',
        },
      ]) {
        it(`is refused ${why}, and nothing of it stays`, async () => {
          const { schema, lines } = await dumpOf(storage);
          await assert.rejects(restoreDump(options({ schema, lines: spoil(lines) }), signal), { code });
          assert.deepEqual(await leftovers(), []);
        });
      }

      it('is refused when it is newer than this release', async () => {
        const dump = await dumpOf(storage);
        const schema = [...dump.schema, { module: 'things', number: 3 }];
        await assert.rejects(restoreDump(options({ ...dump, schema }), signal), { code: 'DUMP_TOO_NEW' });
        await assert.rejects(restoreDump(options(dump, [OUTBOX_MIGRATIONS]), signal), { code: 'DUMP_TOO_NEW' });
        assert.deepEqual(await leftovers(), []);
      });

      it('leaves nothing when what has to come first fails', async () => {
        const beforePublish = async () => {
          throw new RangeError('the keys cannot be written');
        };
        await assert.rejects(restoreDump({ ...options(await dumpOf(storage)), beforePublish }, signal), RangeError);
        assert.deepEqual(await leftovers(), []);
      });

      it('takes away what one left that was killed', async () => {
        if (target.engine === 'sqlite') mkdirSync(`${target.file}.restoring-dead`);
        else {
          const probe = await target.open([]);
          await probe.commit([sql`CREATE SCHEMA fleetshift_restoring_dead`], signal);
          await probe.close();
        }
        assert.equal((await leftovers()).length, 1);
        await assert.rejects(restoreDump(options({ ...(await dumpOf(storage)), lines: [] }), signal));
        assert.deepEqual(await leftovers(), []);
      });

      it('holds everything, is migrated, and goes on counting where it was', async () => {
        const dump = await dumpOf(storage);
        const { rows } = await restoreDump(options(dump), signal);
        assert.equal(rows, 2 + 3 + 450 + (from === 'postgres' ? 5 : 3));
        const restored = await target.open([OUTBOX_MIGRATIONS, THINGS]);
        assert.deepEqual(
          await restored.all(sql`SELECT name, parent, weight, big, "order", loud FROM things ORDER BY name`, signal),
          [
            {
              name: 'a',
              parent: 'z',
              weight: 1.5,
              big: Number.MAX_SAFE_INTEGER,
              order: 'naïve 🗼 "quoted"\n',
              loud: 'A',
            },
            { name: 'z', parent: null, weight: null, big: null, order: null, loud: 'Z' },
          ],
        );
        const bytes = await restored.get<{ blob: Uint8Array }>(sql`SELECT blob FROM things WHERE name = 'a'`, signal);
        assert.deepEqual([...(bytes?.blob ?? [])], [0, 255, 10]);
        await restored.commit([sql`INSERT INTO tickets (kind) VALUES ('next')`], signal);
        const next = await restored.get(sql`SELECT ticket FROM tickets WHERE kind = 'next'`, signal);
        assert.deepEqual(next, { ticket: 6 });
        await assert.rejects(restored.commit([sql`INSERT INTO things (name, parent) VALUES ('b', 'none')`], signal), {
          code: 'REFERENCE_VIOLATED',
        });
        const events = await eventsOf(restored, from === 'postgres' ? 5 : 3);
        assert.deepEqual(events.slice(0, 3), [
          [1, 'e1'],
          [2, 'e2'],
          [3, 'e3'],
        ]);
        assert.deepEqual(
          new Set(events.slice(3).map(([, id]) => id)),
          new Set(from === 'postgres' ? ['e4', 'e5'] : []),
        );
        await restored.close();
        assert.deepEqual(
          (await leftovers()).filter((name) => name.includes('restoring')),
          [],
        );
      });

      it('is refused where something is already', async () => {
        await assert.rejects(restoreDump(options(await dumpOf(storage)), signal), { code: 'DATABASE_NOT_EMPTY' });
      });
    });
  }
}

async function eventsOf(storage: Storage, count: number): Promise<[number, string][]> {
  const log = createEventLog(storage);
  const stop = new AbortController();
  const running = createSequencer({ storage }).run(stop.signal);
  while ((await log.lastPosition(signal)) < count) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await running;
  return (await log.readEvents({ after: 0, limit: 100 }, signal)).map(({ position, id }) => [position, id]);
}
