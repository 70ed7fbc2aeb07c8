import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { compileCacheFolder } from './compile-cache.ts';

test('it is in the cache of the user, and for this user alone', (t) => {
  const { home, program } = aHome(t);
  const folder = compileCacheFolder({ HOME: home }, program);
  assert.ok(folder !== undefined);
  assert.ok(folder.startsWith(join(home, '.cache/fleetshift/compiled/')));
  assert.equal(lstatSync(folder).mode & 0o777, 0o700);
  assert.equal(lstatSync(join(home, '.cache/fleetshift/compiled')).mode & 0o777, 0o700);
  assert.equal(compileCacheFolder({ HOME: home }, program), folder, 'and the same the next time');
});

test('it is where XDG_CACHE_HOME says, unless that is relative', (t) => {
  const { home, program } = aHome(t);
  const cache = join(home, 'elsewhere');
  assert.ok(compileCacheFolder({ HOME: home, XDG_CACHE_HOME: cache }, program)?.startsWith(join(cache, 'fleetshift/')));
  const relative = compileCacheFolder({ HOME: home, XDG_CACHE_HOME: 'elsewhere' }, program);
  assert.ok(relative?.startsWith(join(home, '.cache/')));
});

for (const { why, prepare } of [
  { why: 'others can write to the cache of the user', prepare: (home: string) => make(join(home, '.cache'), 0o777) },
  {
    why: 'others can write to our part of it',
    prepare: (home: string) => make(join(home, '.cache/fleetshift'), 0o770),
  },
  {
    why: 'others can read what is compiled',
    prepare: (home: string) => make(join(home, '.cache/fleetshift/compiled'), 0o755),
  },
  {
    why: 'it is a link',
    prepare: (home: string) => {
      make(join(home, '.cache/fleetshift'), 0o700);
      make(join(home, 'other'), 0o700);
      symlinkSync(join(home, 'other'), join(home, '.cache/fleetshift/compiled'));
    },
  },
  { why: 'it cannot be a folder', prepare: (home: string) => writeFileSync(join(home, '.cache'), '') },
]) {
  test(`there is none where ${why}`, (t) => {
    const { home, program } = aHome(t);
    prepare(home);
    assert.equal(compileCacheFolder({ HOME: home }, program), undefined);
  });
}

test('there is none without a home, or in that of another user', (t) => {
  const { home, program } = aHome(t);
  assert.equal(compileCacheFolder({}, program), undefined);
  const another = lstatSync(home).uid + 1;
  assert.equal(compileCacheFolder({ HOME: home }, program, another), undefined);
  assert.equal(compileCacheFolder({ XDG_CACHE_HOME: home }, program, another), undefined);
  assert.deepEqual(readdirSync(home), ['program'], 'nothing is left there');
});

test('the process that makes a new one removes those that were not used for the longest time', (t) => {
  const { home, program } = aHome(t);
  const all = join(home, '.cache/fleetshift/compiled');
  make(all, 0o700);
  for (let index = 0; index < 10; index++) {
    make(join(all, `old-${index}`), 0o700);
    utimesSync(join(all, `old-${index}`), 1_000 + index, 1_000 + index);
  }
  compileCacheFolder({ HOME: home }, program);
  const kept = readdirSync(all);
  assert.equal(kept.length, 8);
  assert.deepEqual(
    kept.filter((name) => ['old-0', 'old-1', 'old-2'].includes(name)),
    [],
  );
});

function make(folder: string, mode: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, mode);
}

function aHome(t: TestContext): { readonly home: string; readonly program: string } {
  const home = mkdtempSync(join(tmpdir(), 'fleetshift-home-'));
  t.after(() => rmSync(home, { recursive: true }));
  const program = join(home, 'program');
  writeFileSync(program, '');
  return { home, program };
}
