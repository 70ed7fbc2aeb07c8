import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { findServerProgram, SERVER_VERSION } from './server-program.ts';

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
  const cache = (): string => join(folder, 'cache', 'fleetshift', 'temporal', SERVER_VERSION);

  /** A Go that notes that it was called and builds what it is told to. */
  async function fakeGo(script = 'echo built > "$GOBIN/server"'): Promise<void> {
    await mkdir(join(folder, 'bin'));
    await writeFile(join(folder, 'bin', 'go'), `#!/bin/sh\necho "$@" >> "${folder}/calls"\nsleep 0.2\n${script}\n`);
    await chmod(join(folder, 'bin', 'go'), 0o755);
  }

  const calls = async (): Promise<string[]> => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');

  it('has nothing to offer where there is no Go', async () => {
    assert.equal(await find({ PATH: join(folder, 'nowhere') }), undefined);
  });

  it('builds it once, and says so, and takes it from the cache then, also without Go', async () => {
    await fakeGo();
    const program = await find();
    assert.equal(program, join(cache(), 'server'));
    assert.equal(await readFile(join(cache(), 'server'), 'utf8'), 'built\n');
    assert.match(lines.join('\n'), /building the Temporal server/);
    assert.equal(await find({ PATH: '' }), program);
    assert.deepEqual(await calls(), [`install go.temporal.io/server/cmd/server@${SERVER_VERSION}`]);
    assert.deepEqual(await readdir(cache()), ['server'], 'nothing else is left');
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
    await mkdir(join(cache(), 'build-remains'), { recursive: true });
    await writeFile(join(cache(), 'builder'), String(killed.pid));
    assert.equal(await find(), join(cache(), 'server'));
    assert.deepEqual(await readdir(cache()), ['server']);
  });

  it('tells what Go said when it cannot be built, and leaves nothing behind', async () => {
    await fakeGo('echo "no such module" >&2; exit 1');
    await assert.rejects(find(), /no such module/);
    assert.deepEqual(await readdir(cache()), []);
  });
});
