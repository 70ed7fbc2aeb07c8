import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SqliteConnection } from './connection.ts';

const modeOf = (file: string): number => statSync(file).mode & 0o777;

for (const { why, given } of [
  { why: 'a new database', given: undefined },
  { why: 'one that others could read', given: 0o644 },
]) {
  test(`${why} and the files beside it are for their owner alone`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'fleetshift-private-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'x.db');
    if (given !== undefined) writeFileSync(file, '', { mode: given });
    const connection = new SqliteConnection({ file, readOnly: false, busyTimeoutMs: 1_000 });
    connection.script('CREATE TABLE t (x)');
    assert.deepEqual([file, `${file}-wal`, `${file}-shm`].map(modeOf), [0o600, 0o600, 0o600]);
    connection.close();
  });
}
