import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { findServerProgram } from './server-program.ts';

describe('findServerProgram', () => {
  let folder: string;
  let lines: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-program-'));
    lines = [];
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const find = (env: NodeJS.ProcessEnv = {}): Promise<string | undefined> =>
    findServerProgram({
      log: (line) => lines.push(line),
      env: { XDG_CACHE_HOME: join(folder, 'cache'), PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, ...env },
    });
  const cache = (): string => join(folder, 'cache', 'fleetshift', 'programs');
  /** All files below the cache. */
  const cached = async (): Promise<string[]> => {
    const entries = await readdir(cache(), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => !entry.isDirectory() || entry.name.startsWith('build-')).map(({ name }) => name);
  };

  /** A fake Go with two empty modules, which records each build and writes the output. */
  async function fakeGo(script = 'while [ "$1" != -o ]; do shift; done; echo built > "$2"'): Promise<void> {
    await mkdir(join(folder, 'bin'));
    await mkdir(join(folder, 'upstream'));
    const download = `if [ "$1" = mod ]; then echo '{ "Dir": "${folder}/upstream" }'; exit; fi`;
    const lines = ['#!/bin/sh', download, `echo "$@" >> "${folder}/calls"`, 'sleep 0.2', script];
    await writeFile(join(folder, 'bin', 'go'), lines.join('\n'));
    await chmod(join(folder, 'bin', 'go'), 0o755);
  }

  const calls = async (): Promise<string[]> => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');

  it('has nothing to offer where there is no Go', async () => {
    assert.equal(await find({ PATH: join(folder, 'nowhere') }), undefined);
  });

  it('builds it once, and says so, and takes it from the cache then, also without Go', async () => {
    await fakeGo();
    const program = await find();
    assert.ok(program !== undefined && program.startsWith(cache()));
    assert.equal(await readFile(program, 'utf8'), 'built\n');
    assert.match(lines.join('\n'), /building the Temporal server/);
    assert.equal(await find({ PATH: '' }), program);
    const [call, ...others] = await calls();
    assert.match(call ?? '', /^build -trimpath .*-modfile=\S+\/go\.mod .*\.\/temporal-server$/);
    assert.deepEqual(others, []);
    assert.deepEqual(await cached(), ['temporal-server'], 'nothing else is left');
  });

  it('builds it once when several want it at the same time', async () => {
    await fakeGo();
    const programs = await Promise.all([find(), find(), find()]);
    assert.equal(new Set(programs).size, 1);
    assert.equal((await calls()).length, 1);
    assert.match(lines.join('\n'), /waiting for another process/);
  });

  it('builds it after all when the one that built was killed', async () => {
    await fakeGo();
    const killed = spawn('true');
    await once(killed, 'exit');
    const program = await find();
    assert.ok(program);
    await rm(program);
    await mkdir(join(dirname(program), 'build-remains'), { recursive: true });
    await writeFile(join(cache(), 'builder'), String(killed.pid));
    assert.equal(await find(), program);
    assert.deepEqual(await cached(), ['temporal-server']);
  });

  it('tells what Go said when it cannot be built, and leaves nothing behind', async () => {
    await fakeGo('echo "no such module" >&2; exit 1');
    await assert.rejects(find(), /no such module/);
    assert.deepEqual(await cached(), []);
  });
});
