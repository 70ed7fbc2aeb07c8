import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { sleep } from '#kit/std';
import { bareEnvironment } from '#testing/bare-environment';
import { PATIENCE_MS } from '#testing/patience';
import { productionPackages } from './build-image-packages.ts';
import { BESIDE, buildPackage, ENTRIES } from './build-package.ts';
import { ROOT } from './repository.ts';
import { type Outcome, runCommand } from './run-command.ts';
import { softwareBill } from './sbom.ts';

describe('the package that is published', () => {
  let project: string;
  let installed: string;

  before(async () => {
    project = await mkdtemp(join(tmpdir(), 'fleetshift-package-'));
    installed = join(project, 'node_modules', 'fleetshift');
    await installDependencies(project);
    await buildPackage(installed, AbortSignal.timeout(PATIENCE_MS));
  });

  after(() => rm(project, { recursive: true }));

  it('runs where npm installs it, whatever Node the machine has', async () => {
    const { version } = await manifestOf(ROOT);
    const { code, output } = await fleetshift(['version']);
    assert.equal(output, `fleetshift ${String(version)}\n`);
    assert.equal(code, 0);
  });

  it('loads every command', async () => {
    const { code, output } = await fleetshift(['serve', '--help']);
    assert.equal(code, 0, output);
    assert.match(output, /--listen/);
  });

  it('checks what it gets without loading the schemas, and refuses what is not that', async (t) => {
    const answers = [{ items: [REPLICA] }, { items: [{ ...REPLICA, state: 'Resting' }] }];
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answers.shift()));
    });
    t.after(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const get = [
      'get',
      'replicas',
      '-o',
      'name',
      '--server',
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ];
    const library = join(installed, 'typebox-value.js');
    await rename(library, `${library}.away`);
    t.after(() => rename(`${library}.away`, library));
    const [valid, invalid] = [await fleetshift(get), await fleetshift(get)];
    assert.deepEqual([valid.code, valid.output], [0, 'replica/one\n']);
    assert.equal(invalid.code, 1);
    assert.match(invalid.output, /unknown format/);
  });

  it('serves, with the worker that writes to the database, and ends when told', async () => {
    const listen = ['--listen', '127.0.0.1:0', '--tls-listen', '127.0.0.1:0'];
    const server = spawn(program(), ['serve', '--data', join(project, 'data'), ...listen], {
      cwd: project,
      env: bareEnvironment(project),
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    const ended = once(server, 'exit');
    try {
      await untilReady(`${await addressIn(server.stderr)}/readyz`, AbortSignal.timeout(PATIENCE_MS));
    } finally {
      server.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null]);
  });

  it('has a bill of what it installs, the same of the same checkout', async () => {
    const text = await readFile(join(installed, 'sbom.cdx.json'), 'utf8');
    const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: { 'bom-ref': string }[] };
    assert.equal(bomFormat, 'CycloneDX');
    const listed = new Set(components.map((component) => component['bom-ref'].replace(/@[^@]*$/, '')));
    const { dependencies } = (await manifestOf(ROOT)) as unknown as { dependencies: Record<string, string> };
    const missing = Object.keys(dependencies).filter((name) => !listed.has(name));
    assert.deepEqual(missing, []);
    assert.equal(await softwareBill(AbortSignal.timeout(PATIENCE_MS)), text);
  });

  it('has no sources, which Node refuses to run from there', async () => {
    const files = await readdir(installed, { recursive: true });
    assert.deepEqual(
      files.filter((file) => file.endsWith('.ts')),
      [],
    );
    assert.ok(files.includes('LICENSE'));
  });

  it('has everything that is started, and knip knows the same list', async () => {
    const knip = await readFile(join(ROOT, 'knip.jsonc'), 'utf8');
    for (const [name, source] of Object.entries(ENTRIES)) {
      assert.ok((await readdir(installed)).includes(`${name}.js`));
      assert.ok(source.endsWith('/main.ts') || knip.includes(`"${source}"`), `${source} is not in knip.jsonc`);
    }
  });

  it('asks npm for what it needs to run and for nothing else', async () => {
    const [ours, published] = await Promise.all([manifestOf(ROOT), manifestOf(installed)]);
    assert.deepEqual(Object.keys(published), [
      'name',
      'version',
      'description',
      'license',
      'type',
      'bin',
      'dependencies',
      'optionalDependencies',
    ]);
    const needed = Object.entries(ours['dependencies'] as object).filter(([name]) => BESIDE.includes(name));
    assert.deepEqual(published['dependencies'], Object.fromEntries(needed));
    assert.deepEqual(published['optionalDependencies'], ours['optionalDependencies']);
  });

  it('says whose work is in it, beside our own', async () => {
    const notices = await readFile(join(installed, 'NOTICES'), 'utf8');
    for (const whose of ['Buf Technologies, Inc.', 'Google Inc.']) assert.ok(notices.includes(whose), whose);
  });

  function program(): string {
    return join(installed, 'bin', 'fleetshift');
  }

  async function fleetshift(args: readonly string[]): Promise<Outcome> {
    const bare = ['env', '-i', 'PATH=/usr/bin:/bin'];
    return await runCommand([...bare, program(), ...args], { cwd: project }, AbortSignal.timeout(PATIENCE_MS));
  }
});

const REPLICA = {
  instanceId: 'one',
  state: 'Live',
  version: '1',
  startTime: '2026-11-19T21:14:25Z',
  heartbeatTime: '2026-11-19T21:14:25Z',
  endpoints: {},
  leads: [],
};

/** The layout of `npm install fleetshift`: its dependencies next to it, and nothing else of ours. */
async function installDependencies(project: string): Promise<void> {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as object;
  const node = (await readdir(join(ROOT, 'node_modules'))).filter((name) => name.startsWith('node-'));
  const wanted = productionPackages(lock, [...BESIDE, ...node]).filter((path) => existsSync(join(ROOT, path)));
  for (const path of wanted.filter((each) => each.lastIndexOf('node_modules/') === 0)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await symlink(join(ROOT, path), join(project, path));
  }
}

/** Its plain HTTP address, from its log. */
async function addressIn(log: Readable): Promise<string> {
  let said = '';
  for await (const line of createInterface({ input: log })) {
    said += `${line}\n`;
    if (!line.includes('"msg":"serving"')) continue;
    log.resume();
    return (JSON.parse(line) as { address: [string] }).address[0];
  }
  throw new Error(`the platform ended before it served:\n${said}`);
}

async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const ready = await fetch(url, { signal }).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return;
    await sleep(50, signal);
  }
}

async function manifestOf(folder: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
}
