import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { findProgram, whyUnavailable } from './programs.ts';

describe('programs of a cluster', () => {
  let folder: string;
  let lines: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-programs-'));
    lines = [];
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const log = (line: string): number => lines.push(line);
  const envWith = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    XDG_CACHE_HOME: join(folder, 'cache'),
    PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
    ...more,
  });

  async function program(path: string, script: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  }

  /** A fake Go that records its arguments and folder, and writes the output file. */
  const fakeGo = (): Promise<void> =>
    program(
      join(folder, 'bin', 'go'),
      `echo "$PWD $*" >> "${folder}/calls"; sleep 0.2; while [ "$1" != -o ]; do shift; done; echo built > "$2"`,
    );

  it('come from KUBEBUILDER_ASSETS before anything else', async () => {
    await program(join(folder, 'assets', 'etcd'), '');
    const env = envWith({ KUBEBUILDER_ASSETS: join(folder, 'assets'), PATH: '' });
    assert.equal(await findProgram('etcd', { log, env }), join(folder, 'assets', 'etcd'));
  });

  it('are built once, though several want them at the same time, and are found in the cache then', async () => {
    await fakeGo();
    const [file, ...others] = await Promise.all([1, 2, 3].map(() => findProgram('kwok', { log, env: envWith() })));
    assert.ok(file);
    assert.deepEqual(others, [file, file]);
    assert.equal(await readFile(file, 'utf8'), 'built\n');
    const building = lines.filter((line) => /^building kwok v0\.\d+\.\d+, once for this user/.test(line));
    assert.equal(building.length, 1, 'whatever those who wait say before it');
    assert.equal(await findProgram('kwok', { log, env: envWith({ PATH: '' }) }), file);
    assert.equal((await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n').length, 1);
  });

  it('are built from the module that pins them, and Kubernetes is told its version', async () => {
    await fakeGo();
    await findProgram('kube-scheduler', { log, env: envWith() });
    const call = await readFile(join(folder, 'calls'), 'utf8');
    assert.match(call, /testing\/go build .*version\.gitVersion=v1\.\d+\.\d+ .*gitMinor=\d+ .*\.\/kube-scheduler$/m);
  });

  it('cannot be had with neither a program nor Go, which is said with what to install', async () => {
    const env = envWith({ PATH: '/nowhere' });
    assert.match(
      whyUnavailable('controllers', env) ?? '',
      /no etcd, kube-apiserver, .*install Go 1\.\d+.*KUBEBUILDER_ASSETS/,
    );
    await assert.rejects(findProgram('etcd', { log, env }), /find etcd: there is no etcd/);
  });

  it('of a smaller cluster may be there when those of a larger one are not', async () => {
    const assets = join(folder, 'assets');
    for (const name of ['etcd', 'kube-apiserver', 'kubectl']) await program(join(assets, name), '');
    const env = envWith({ KUBEBUILDER_ASSETS: assets, PATH: '/nowhere' });
    assert.equal(whyUnavailable('apiserver', env), undefined);
    assert.match(whyUnavailable('nodes', env) ?? '', /no kube-controller-manager, kube-scheduler, kwok in /);
  });
});
