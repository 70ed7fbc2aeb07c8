import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqlite, sql } from '../index.ts';

test('a body that reads for long lets the process get its other work done between two reads', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-sqlite-'));
  t.after(() => rm(folder, { recursive: true }));
  const storage = await openSqlite({ file: join(folder, 'db'), modules: [] }, t.signal);
  t.after(() => storage.close());
  let isOthersWorkDone = false;
  await storage.read(async (reader) => {
    setImmediate(() => (isOthersWorkDone = true));
    await reader.all(sql`SELECT 1`);
    spend(20);
    await reader.all(sql`SELECT 2`);
    assert.equal(isOthersWorkDone, true);
  }, t.signal);
});

/** Keeps the thread busy. */
function spend(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}
