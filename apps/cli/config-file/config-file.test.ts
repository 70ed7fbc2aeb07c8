import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { FILE_MS } from '#testing/patience';
import { contextIn, withContext } from './cli-config.ts';
import { changeConfigFile, configFilePath, readConfigFile } from './config-file.ts';
import { CONFIG_FILE_ERRORS } from './config-file-error.ts';

const signal = AbortSignal.timeout(FILE_MS);
const context = (name: string) => ({ name, server: 'http://127.0.0.1:8700/' });

test('the README lists the codes of the catalogue', () => {
  catalogueMatchesReadme({ catalogue: CONFIG_FILE_ERRORS, readme: new URL('./README.md', import.meta.url) });
});

for (const { environment, want } of [
  { environment: { FLEETSHIFT_CONFIG: '/a/b', HOME: '/h' }, want: '/a/b' },
  { environment: { XDG_CONFIG_HOME: '/x', HOME: '/h' }, want: '/x/fleetshift/config.yaml' },
  { environment: { FLEETSHIFT_CONFIG: '', HOME: '/h' }, want: '/h/.config/fleetshift/config.yaml' },
]) {
  test(`it is ${want}`, () => assert.equal(configFilePath(environment), want));
}

test('changes come one after the other, and none is lost', async (t) => {
  const file = aFile(t);
  await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      changeConfigFile(
        file,
        async (config, write) => {
          await new Promise((resolve) => setImmediate(resolve));
          write(withContext(config, context(name)));
        },
        signal,
      ),
    ),
  );
  assert.deepEqual(readConfigFile(file).contexts, ['a', 'b', 'c'].map(context));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dirname(file)), ['config.yaml'], 'neither draft nor lock is left behind');
});

test('a change that comes to nothing leaves the file, and the way free', async (t) => {
  const file = aFile(t);
  await changeConfigFile(file, async (config, write) => write(withContext(config, context('a'))), signal);
  const broken = changeConfigFile(file, () => Promise.reject(new Error('no')), signal);
  await assert.rejects(broken, { message: 'no' });
  assert.equal(readConfigFile(file).currentContext, 'a');
  await changeConfigFile(file, async (config, write) => write(withContext(config, context('b'))), signal);
});

test('the lock of one that was killed is not waited for', async (t) => {
  const file = aFile(t);
  const lock = `${file}.lock`;
  writeFileSync(lock, '');
  utimesSync(lock, 1, 1);
  await changeConfigFile(file, async (config, write) => write(withContext(config, context('a'))), signal);
  assert.equal(readConfigFile(file).contexts.length, 1);
});

for (const { why, content, mode = 0o600 } of [
  { why: 'others may read it', content: 'version: 1\ncontexts: []\n', mode: 0o640 },
  { why: 'it is not YAML', content: '{' },
  { why: 'it is of another version', content: 'version: 2\ncontexts: []\n' },
  { why: 'it holds what nobody knows', content: 'version: 1\ncontexts: []\ncolour: red\n' },
]) {
  test(`refused: ${why}`, (t) => {
    const file = aFile(t);
    writeFileSync(file, content, { mode });
    assert.throws(() => readConfigFile(file), { code: 'CONFIG_FILE_UNUSABLE' });
  });
}

test('a context is found by name, else the current one', () => {
  const config = withContext(withContext({ version: 1, contexts: [] }, context('a')), context('b'));
  assert.equal(contextIn(config, 'a')?.name, 'a');
  assert.equal(contextIn(config, undefined)?.name, 'b');
  assert.equal(contextIn({ version: 1, contexts: [] }, undefined), undefined);
  assert.throws(() => contextIn(config, 'c'), { code: 'CONTEXT_NOT_FOUND' });
});

function aFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-config-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'config.yaml');
}
