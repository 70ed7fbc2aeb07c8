import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '#kit/std';
import { openDataFolder } from './data-folder.ts';
import { InstanceError } from './instance-error.ts';

test('it is made for its owner alone, and given back', (t) => {
  const path = join(temporaryFolder(t), 'a', 'b');
  const folder = openDataFolder(path, systemClock);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  assert.equal(folder.openToAll, false);
  folder.release();
  openDataFolder(path, systemClock).release();
});

test('one that is in use is refused, with who uses it and the way out', (t) => {
  const path = temporaryFolder(t);
  const folder = openDataFolder(path, systemClock);
  t.after(() => folder.release());
  assert.throws(
    () => openDataFolder(path, systemClock),
    (error) =>
      error instanceof InstanceError &&
      error.code === 'DATA_FOLDER_IN_USE' &&
      [path, `process ${process.pid}`, '--data'].every((part) => error.message.includes(part)),
  );
});

test('a place where there can be no folder is refused', (t) => {
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below'), '/proc/fleetshift']) {
    assert.throws(() => openDataFolder(path, systemClock), { code: 'DATA_FOLDER_UNUSABLE' }, path);
  }
});

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-data-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
