import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type DumpRecord, RowDigest, rowText } from './dump-record.ts';
import { loadDump } from './load-dump.ts';
import type { Loader, TableRows } from './loader.ts';
import { SqliteLoader } from './sqlite-loader.ts';

const signal = new AbortController().signal;
const MODULES = [
  {
    module: 'things',
    migrations: [
      {
        number: 1,
        name: 'things',
        compatibleFrom: 0,
        up: 'CREATE TABLE things (name KEYTEXT PRIMARY KEY, size BIGINT)',
      },
    ],
  },
];
const ROWS = [
  ['a', 1],
  ['b', 2],
];

let folder: string;
let real: Loader;
async function* aDump(): AsyncGenerator<DumpRecord> {
  const digest = new RowDigest();
  for (const values of ROWS) digest.add(rowText(values));
  yield { kind: 'table', name: 'things', columns: ['name', 'size'] };
  for (const values of ROWS) yield { kind: 'row', values };
  yield { kind: 'end', name: 'things', rows: digest.rows, digest: digest.text };
  yield { kind: 'done', tables: 1 };
}

/** A database that acknowledges the rows but stores different ones. */
function unfaithful(change: (rows: TableRows) => TableRows): Loader {
  return {
    engine: real.engine,
    begin: (stop) => real.begin(stop),
    insert: (rows) => real.insert(change(rows)),
    setCounter: (table, last) => real.setCounter(table, last),
    checkReferences: () => real.checkReferences(),
    read: (body) => real.read(body),
    publish: (stop) => real.publish(stop),
    discard: () => real.discard(),
  };
}

describe('a dump that is loaded', () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fleetshift-load-'));
    real = new SqliteLoader({ file: join(folder, 'database'), levels: MODULES, modules: MODULES });
    await real.begin(signal);
  });

  afterEach(async () => {
    await real.discard();
    rmSync(folder, { recursive: true });
  });

  test('what was taken faithfully passes', async () => {
    assert.deepEqual(
      await loadDump(
        aDump(),
        unfaithful((rows) => rows),
        () => {},
      ),
      { tables: 1, rows: 2 },
    );
  });

  for (const { why, change } of [
    { why: 'a row less', change: (rows: TableRows) => ({ ...rows, rows: rows.rows.slice(1) }) },
    {
      why: 'another value',
      change: (rows: TableRows) => ({ ...rows, rows: rows.rows.map(([name = null]) => [name, 3]) }),
    },
    {
      why: 'a text for a number',
      change: (rows: TableRows) => ({ ...rows, rows: rows.rows.map(([name = null, n]) => [name, `n${String(n)}`]) }),
    },
  ]) {
    test(`a database that has ${why} is found out`, async () => {
      await assert.rejects(
        loadDump(aDump(), unfaithful(change), () => {}),
        { code: 'LOAD_FAILED' },
      );
    });
  }
});
