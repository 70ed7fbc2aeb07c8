import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chownSync, closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { freeBytes } from '#runtime/instance/full-disk';
import { DATABASES } from '#testing/databases';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { startPostgres } from '#testing/postgres';
import { eventually } from '../kit/durable/testing/eventually.ts';
import { homeFor } from './home-for.ts';

const skip = process.getuid?.() !== 0 && 'mounting a small disk needs root';
const noPostgres = !DATABASES.includes('postgres') && 'narrowed to other databases';

interface Readiness {
  readonly status: string;
  readonly probes: readonly { readonly name: string; readonly status: string; readonly message?: string }[];
}

test('a full disk fails a probe of /readyz that names it without taking the platform out, and a start says what to do', {
  skip,
}, async (t) => {
  const home = await smallHome(t);
  const platform = await home.start();
  const ballast = join(home.data, 'ballast');
  fill(ballast);
  const { status, state, writes } = await readiness(platform);
  assert.deepEqual([status, state, writes?.status], [200, 'degraded', 'failing']);
  assert.match(writes?.message ?? '', /the disk is full: 0 KiB are left/);
  await eventually('a write is refused', async () => (await create(platform)).status === 507);

  rmSync(ballast);
  await eventually('a write', async () => (await create(platform)).status === 201);
  await eventually('is ready', async () => (await readiness(platform)).state === 'ready');
  await platform.stop();

  fill(ballast);
  const { code, said } = await home.spawn().ended;
  assert.equal(code, 1);
  assert.match(
    said,
    new RegExp(`the disk of the data folder ${home.data} is full \\(0 KiB are left\\): free some space`),
  );
  assert.equal(said.trim().split('\n').length, 1, 'one sentence, and no stack');
  rmSync(ballast);
  await home.start();
});

test('so does a first start', { skip }, async (t) => {
  const home = await smallHome(t);
  const ballast = join(home.data, 'ballast');
  for (const left of [0, 8, 256]) {
    writeFileSync(ballast, Buffer.alloc(freeBytes(home.data) - left * 1024));
    const { said } = await home.spawn().ended;
    assert.match(said, /the disk of the data folder .* is full \(\d+ KiB are left\): free some space/);
    rmSync(ballast);
  }
  await home.start();
});

test('so does the full disk of a Postgres server', { skip: skip || noPostgres }, async (t) => {
  const server = await startPostgres();
  const disk = mkdtempSync('/tmp/fleetshift-disk-');
  mountSmall(disk, 64);
  t.after(async () => {
    await server.stop();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });
  const { uid, gid } = statSync(server.folder);
  chownSync(disk, uid, gid);
  const statements = [`CREATE TABLESPACE small LOCATION '${disk}'`, 'CREATE DATABASE small TABLESPACE small'];
  for (const statement of statements) await execute(server.url, statement);
  const url = Object.assign(new URL(server.url), { pathname: '/small' }).href;
  const platform = await (await homeFor(t)).start({ environment: { FLEETSHIFT_DATABASE: url } });

  const ballast = join(disk, 'ballast');
  fill(ballast);
  await eventually('a write is refused', async () => (await create(platform)).status === 507);
  const { status, state, writes } = await readiness(platform);
  assert.deepEqual([status, state, writes?.status], [200, 'degraded', 'failing']);
  assert.match(writes?.message ?? '', /the disk of the Postgres server is full/);

  rmSync(ballast);
  await eventually('is ready', async () => (await readiness(platform)).state === 'ready');
  await eventually('a write', async () => (await create(platform)).status === 201);
  await platform.stop();
});

/** Until nothing more fits: a process may be writing beside. */
function fill(ballast: string): void {
  const file = openSync(ballast, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(file);
  }
}

async function smallHome(t: TestContext): Promise<PlatformHome> {
  const home = await platformHome('sqlite');
  await mkdir(home.data, { mode: 0o700 });
  mountSmall(home.data, 24);
  t.after(async () => {
    execFileSync('umount', ['--lazy', home.data]);
    await home.dispose();
  });
  return home;
}

function mountSmall(folder: string, megabytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder]);
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function readiness(platform: Platform) {
  const answer = await platform.request('/readyz');
  const { status: state, probes } = (await answer.json()) as Readiness;
  return { status: answer.status, state, writes: probes.find(({ name }) => name === 'writes') };
}

async function create(platform: Platform): Promise<Response> {
  const labels = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`label-${at}`, 'x'.repeat(60)]));
  const name = `w-${Math.random().toString(36).slice(2)}`;
  return await platform.request('/v1/workspaces', { method: 'POST', body: { name, labels } });
}
