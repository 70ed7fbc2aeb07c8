import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, glob, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sleep } from '#kit/std';
import { PATIENCE_MS } from '#testing/patience';
import packageJson from '../package.json' with { type: 'json' };
import { buildImage } from './build-image.ts';
import { productionPackages } from './build-image-packages.ts';

const skip = process.platform === 'linux' ? false : 'an image is of Linux';
/** The user of the image; only root can choose it. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : {};

describe('what an image has', { skip }, () => {
  let place: string;
  let image: string;
  let data: string;

  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'fleetshift-image-'));
    // The image runs as a user other than the builder.
    await chmod(place, 0o755);
    [image, data] = [join(place, 'image'), join(place, 'data')];
    await buildImage(image, AbortSignal.timeout(PATIENCE_MS));
    await mkdir(data, { mode: 0o777 });
    await chmod(data, 0o777);
  });

  after(() => rm(place, { recursive: true }));

  it('runs with nothing around it, not even a PATH, and not as root', async () => {
    const { code, said } = await ended(fleetshift(['version']));
    assert.deepEqual({ code, said }, { code: 0, said: `fleetshift ${packageJson.version}\n` });
  });

  it('is one for all commands', async () => {
    for (const command of ['serve', 'fleetlet', 'agent', 'demo', 'get']) {
      const { code, said } = await ended(fleetshift([command, '--help']));
      assert.equal(code, 0, said);
      assert.match(said, new RegExp(`^Usage: fleetshift ${command}`));
    }
  });

  it('serves, and writes nothing but its data', async () => {
    const before = await contents(image);
    const listen = ['--listen', '127.0.0.1:0', '--tls-listen', '127.0.0.1:0', '--log-format', 'json'];
    const server = fleetshift(['serve', '--data', data, ...listen]);
    const end = ended(server);
    try {
      const url = await servingAt(server, end, AbortSignal.timeout(PATIENCE_MS));
      await untilReady(`${url}/readyz`, AbortSignal.timeout(PATIENCE_MS));
      const docs = await fetch(`${url}/docs/`, { signal: AbortSignal.timeout(PATIENCE_MS) });
      assert.equal(docs.status, 200, 'also what is read from files of packages');
      await docs.body?.cancel();
    } finally {
      server.kill('SIGTERM');
    }
    const { code, said } = await end;
    assert.equal(code, 0, said);
    assert.deepEqual(await contents(image), before);
    assert.ok((await readdir(data)).includes('fleetshift.db'));
  });

  it('is whole in itself, and of nobody in particular', async () => {
    const root = await realpath(image);
    for await (const entry of glob('**', { cwd: image })) {
      const path = join(image, entry);
      const { mode } = await lstat(path);
      assert.ok((await realpath(path)).startsWith(root), `${entry} leads out of it`);
      assert.equal(mode & 0o6000, 0, `${entry} gives rights of its owner`);
      assert.equal(mode & 0o004, 0o004, `${entry} can be read by its owner only`);
    }
  });

  it('has the libraries of Node that are in no small base', async () => {
    const carried = await readdir(join(image, 'opt/fleetshift/lib/shared'));
    assert.deepEqual(carried.toSorted(), ['libatomic.so.1', 'libgcc_s.so.1', 'libstdc++.so.6']);
  });

  it('has authorities where Linux keeps them', async () => {
    const text = await readFile(join(image, 'etc/ssl/certs/ca-certificates.crt'), 'utf8');
    assert.ok(text.split('-----BEGIN CERTIFICATE-----').length > 100);
  });

  it('is not built over something else', async () => {
    await writeFile(join(data, 'mine'), '');
    await assert.rejects(buildImage(data, AbortSignal.timeout(PATIENCE_MS)), /the folder is not empty/);
  });

  function fleetshift(args: readonly string[]): ChildProcess {
    const program = join(image, 'opt/fleetshift/bin/fleetshift');
    const child = spawn(program, args, { ...NOBODY, cwd: data, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
    return child;
  }
});

describe('the packages of an image', () => {
  const lock = {
    packages: {
      'node_modules/a': { dependencies: { b: '1', c: '1' }, optionalDependencies: { missing: '1' } },
      'node_modules/a/node_modules/b': { dependencies: { d: '1' } },
      'node_modules/b': {},
      'node_modules/c': { peerDependencies: { a: '1' } },
      'node_modules/d': {},
      'node_modules/a/node_modules/b/node_modules/e': {},
    },
  };
  for (const { why, names, want } of [
    { why: 'the nearest of a name', names: ['a'], want: ['a', 'a/node_modules/b', 'c', 'd'] },
    { why: 'not what lies in another', names: ['b'], want: ['b'] },
    { why: 'those that need each other', names: ['c'], want: ['a', 'a/node_modules/b', 'c', 'd'] },
  ]) {
    it(`are ${why}`, () => {
      const paths = want.map((path) => `node_modules/${path}`);
      assert.deepEqual(productionPackages(lock, names), paths);
    });
  }
});

async function ended(child: ChildProcess): Promise<{ readonly code: number | null; readonly said: string }> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

async function servingAt(child: ChildProcess, end: Promise<{ said: string }>, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  child.stderr?.on('data', (text: string) => {
    said += text;
    const url = /"serving".*/.test(said) ? /http:\/\/[\d.:]+/.exec(said)?.[0] : undefined;
    if (url !== undefined) resolve(url);
  });
  signal.addEventListener('abort', () => reject(new Error(`it does not serve, and said\n${said}`)), { once: true });
  end.then(({ said: all }) => reject(new Error(`it ended, and said\n${all}`)), reject);
  return await promise;
}

async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  while (!(await fetch(url, { signal })).ok) await sleep(50, signal);
}

async function contents(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(glob('**', { cwd: folder }));
  return await Promise.all(
    entries.toSorted().map(async (entry) => {
      const { size, mtimeMs } = await lstat(join(folder, entry));
      return `${entry} ${size} ${mtimeMs}`;
    }),
  );
}
