import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sql } from '#kit/storage';
import { freshDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { SCHEMA_MODULES } from './schema.ts';

const PAGE = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
/** Tables of Postgres only, and the table that records the migrations. */
const NOT_LISTED = ['outbox_log', 'outbox_sequencer'];
const OF_NO_MODULE = 'schema_migrations';

test('ARCHITECTURE.md lists the modules that have tables, in the order in which they are made', () => {
  const listed = rows().flatMap(([module = '']) => namesIn(module));
  assert.deepEqual(
    listed,
    SCHEMA_MODULES.map(({ module }) => module),
  );
});

test('ARCHITECTURE.md lists every table that there is', async (t) => {
  const database = await freshDatabase('sqlite');
  t.after(() => database.dispose());
  const storage = await database.open(SCHEMA_MODULES);
  const query = sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`;
  const made = (await storage.all(query, AbortSignal.timeout(PATIENCE_MS))).map((row) => String(row['name']));
  const listed = rows().flatMap(([, tables = '']) => namesIn(tables));
  assert.deepEqual(
    listed.filter((name) => !NOT_LISTED.includes(name)).toSorted(),
    made.filter((name) => name !== OF_NO_MODULE).toSorted(),
  );
});

function rows(): string[][] {
  const [, table = ''] = /^\| module \| tables \|\n\|.*\n((?:\|.*\n)+)/m.exec(PAGE) ?? [];
  return table
    .trim()
    .split('\n')
    .map((row) => row.split('|').slice(1, 3));
}

function namesIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([\w-]+)`/g), ([, name = '']) => name);
}
