import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';

const FOLDER = import.meta.dirname;
const BUF = join(FOLDER, '../../node_modules/.bin/buf');
/** The proto files of the last release; before the first release, as first agreed on. */
const RELEASED = join(FOLDER, 'released.binpb');

describe('the proto files', { timeout: PATIENCE_MS }, () => {
  it('keep to the rules of buf', () => {
    assert.equal(buf(FOLDER, ['lint']), '');
  });

  it('are what they were, and more: whoever was built with the released ones understands', () => {
    assert.equal(buf(FOLDER, ['breaking', '--against', RELEASED]), '');
  });

  const changes = [
    { why: 'a field that is gone', from: '  string target = 2;\n', to: '' },
    { why: 'a number that means something else', from: 'string target = 2;', to: 'bytes target = 2;' },
    { why: 'a field with another number', from: 'string target = 2;', to: 'string target = 200;' },
  ];
  for (const { why, from, to } of changes) {
    it(`would be found out: ${why}`, async (t) => {
      const folder = await copy(t);
      const file = join(folder, 'fleetshift/v1/channel.proto');
      const text = await readFile(file, 'utf8');
      assert.ok(text.includes(from));
      await writeFile(file, text.replace(from, to));
      assert.notEqual(buf(folder, ['breaking', '--against', RELEASED]), '');
    });
  }

  it('are all in the README', async () => {
    const readme = await readFile(join(FOLDER, 'README.md'), 'utf8');
    for (const name of await readdir(join(FOLDER, 'fleetshift/v1'))) assert.ok(readme.includes(name), name);
  });

  it('say why a stream was closed in words that the README explains', async () => {
    const proto = await readFile(join(FOLDER, 'fleetshift/v1/channel.proto'), 'utf8');
    const reasons = Array.from(proto.matchAll(/CLOSE_REASON_(\w+) = [1-9]/g), ([, name]) => name);
    const readme = await readFile(join(FOLDER, 'README.md'), 'utf8');
    const explained = Array.from(readme.matchAll(/^\| `([A-Z_]+)` \|/gm), ([, name]) => name);
    assert.deepEqual(explained, reasons);
  });
});

/** The findings of buf; empty when there are none. */
function buf(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(BUF, args, { cwd, encoding: 'utf8' });
  assert.ok(status === 0 || status === 100, stderr);
  return stdout + stderr;
}

async function copy(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'proto-'));
  t.after(() => rm(folder, { recursive: true }));
  await cp(join(FOLDER, 'fleetshift'), join(folder, 'fleetshift'), { recursive: true });
  await cp(join(FOLDER, 'buf.yaml'), join(folder, 'buf.yaml'));
  return folder;
}
