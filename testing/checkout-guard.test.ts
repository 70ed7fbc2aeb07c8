import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { changesBetween, folderState } from './checkout-guard.ts';

const FILES = ['README.md', 'kit/std/index.ts', 'dist/main.js', 'node_modules/x/index.js', '.fleetshift/fleetshift.db'];

describe('a guard of the checkout', () => {
  for (const { why, touch, want } of [
    { why: 'nothing', touch: async () => {}, want: [] },
    { why: 'a new file in a new folder', touch: put('a/b.txt'), want: ['made a', 'made a/b.txt'] },
    { why: 'a hidden file', touch: put('.config'), want: ['made .config'] },
    { why: 'a file that git ignores', touch: put('dist/main.js', 'more'), want: ['changed dist/main.js'] },
    { why: 'the same size, written later', touch: touchLater('README.md'), want: ['changed README.md'] },
    { why: 'a file that is gone', touch: remove('kit/std/index.ts'), want: ['removed kit/std/index.ts'] },
    { why: 'installed packages, which may change', touch: put('kit/x/node_modules/y.js'), want: ['made kit/x'] },
    { why: 'a demo beside, which may run', touch: put('.fleetshift/fleetshift.db', 'more'), want: [] },
  ]) {
    it(`sees ${why}`, async (t) => {
      const root = await checkout(t);
      const before = folderState(root);
      await touch(root);
      assert.deepEqual(changesBetween(before, folderState(root)), want);
    });
  }
});

type Touch = (root: string) => Promise<void>;

function put(path: string, content = ''): Touch {
  return async (root) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
}

function touchLater(path: string): Touch {
  return (root) => utimes(join(root, path), new Date(), new Date(Date.now() + 5_000));
}

function remove(path: string): Touch {
  return (root) => rm(join(root, path));
}

async function checkout(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'fleetshift-guard-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  for (const path of FILES) await put(path, path)(root);
  return root;
}
