import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { changeKeyFile, createKeyFile, readKeyFile } from './key-file.ts';

let folder: string;
let file: string;
describe('a key file', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fleetshift-keys-'));
    file = join(folder, 'keys.json');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  test('is made for its owner alone, once, and leaves no draft behind', () => {
    assert.equal(createKeyFile(file, 1), true);
    const first = readKeyFile(file);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(createKeyFile(file, 2), false);
    assert.deepEqual(readKeyFile(file), first);
    assert.deepEqual(readdirSync(folder), ['keys.json']);
  });

  test('is refused when others may read it', () => {
    createKeyFile(file, 1);
    for (const mode of [0o640, 0o604, 0o620]) {
      chmodSync(file, mode);
      assert.throws(() => readKeyFile(file), { code: 'KEY_FILE_UNUSABLE' });
    }
  });

  for (const { why, text } of [
    { why: 'empty', text: '' },
    { why: 'no JSON', text: '{' },
    { why: 'another version', text: '{"version":2,"active":"a","keys":[]}' },
    { why: 'no key', text: '{"version":1,"active":"a","keys":[]}' },
    { why: 'an active key that is not there', text: `{"version":1,"active":"b","keys":[${keyText('a')}]}` },
    { why: 'a key twice', text: `{"version":1,"active":"a","keys":[${keyText('a')},${keyText('a')}]}` },
    { why: 'a short key', text: '{"version":1,"active":"a","keys":[{"id":"a","key":"YWJj","createTime":1}]}' },
  ]) {
    test(`is refused when it holds no keys: ${why}`, () => {
      writeFileSync(file, text, { mode: 0o600 });
      assert.throws(() => readKeyFile(file), { code: 'KEY_FILE_UNUSABLE' });
    });
  }

  test('two writers do not lose each other, and a dead one is not waited for', () => {
    createKeyFile(file, 1);
    writeFileSync(`${file}.next`, '');
    assert.throws(() => changeKeyFile(file, (current) => current), { code: 'KEY_FILE_BUSY' });
    const long = Date.now() / 1000 - 120;
    utimesSync(`${file}.next`, long, long);
    changeKeyFile(file, (current) => ({ ...current, keys: [...current.keys, { ...JSON.parse(keyText('b')) }] }));
    assert.equal(readKeyFile(file)?.keys.length, 2);
    assert.ok(!existsSync(`${file}.next`));
  });

  test('is refused where it cannot be', () => {
    assert.throws(() => createKeyFile(join(folder, 'none', 'keys.json'), 1), { code: 'KEY_FILE_UNUSABLE' });
    assert.throws(() => readKeyFile(folder), { code: 'KEY_FILE_UNUSABLE' });
  });
});

function keyText(id: string): string {
  return JSON.stringify({ id, key: Buffer.alloc(32).toString('base64'), createTime: 1 });
}
