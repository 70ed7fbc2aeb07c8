import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildPackage } from '../../scripts/build-package.ts';
import { ROOT } from '../../scripts/repository.ts';
import { type BenchContext, cost, type Figure } from '../figure.ts';
import { percentile } from '../statistics.ts';
import { type BenchCertificates, benchCertificates } from './bench-certificates.ts';
import { Child, residentBytes } from './child.ts';

/** The least that a process can be which holds a session with mTLS. A file of JavaScript: what strips types is large. */
const BARE = `
  import { readFileSync } from 'node:fs';
  import { connect } from 'node:http2';
  const [port, folder] = process.argv.slice(2);
  const [cert, key, ca] = ['certificate.pem', 'key.pem', 'ca.pem'].map((name) => readFileSync(folder + '/' + name));
  const session = connect('https://localhost:' + port, { cert, key, ca });
  session.on('connect', () => console.log('connected'));
  setInterval(() => session.ping(() => {}), 5_000);
`;
const GOAL = 1.4;
const MIB = 2 ** 20;
/** Until what a start leaves behind was looked at, and a heartbeat has passed. */
const SETTLE_MS = 7_000;

/**
 * A fleetlet that has nothing to do, as it is published: from the sources it is half as large again, since Node keeps what
 * strips types.
 */
export async function idleFigure({ quick, signal }: BenchContext): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-idle-'));
  const hub = new Child(new URL('./hub-process.ts', import.meta.url));
  try {
    const program = await install(folder, signal);
    const certificates = benchCertificates(1);
    const port = await hub.ask<number>('listen', certificates.server);
    const data = await identity(join(folder, 'data'), certificates);
    const bareProgram = join(folder, 'bare.mjs');
    await writeFile(bareProgram, BARE);
    const flags = ['fleetlet', '--platform', `localhost:${port}`, '--data', data];
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      const [fleetlet, bare] = await Promise.all([
        restingBytes(program, flags, /"connected to the platform"/),
        restingBytes(process.execPath, [bareProgram, String(port), data], /connected/),
      ]);
      ours.push(fleetlet);
      theirs.push(bare);
    }
    return cost({
      name: 'idle fleetlet: resident set, beside a bare session',
      unit: 'MiB',
      value: percentile(ours, 0.5) / MIB,
      reference: percentile(theirs, 0.5) / MIB,
      goal: GOAL,
    });
  } finally {
    await hub.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** As npm does it: what the package needs lies beside it. Its launcher. */
async function install(folder: string, signal: AbortSignal): Promise<string> {
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  const names = await readdir(join(ROOT, 'node_modules'));
  await Promise.all(names.map((name) => symlink(join(ROOT, 'node_modules', name), join(modules, name))));
  const installed = join(modules, 'fleetshift');
  await buildPackage(installed, signal);
  return join(installed, 'bin', 'fleetshift');
}

async function identity(folder: string, { fleetlets, key, authority }: BenchCertificates): Promise<string> {
  const [{ uid, cert } = { uid: '', cert: '' }] = fleetlets;
  const platform = JSON.stringify({ fleetlet: uid, serverCa: authority, endpoints: {} });
  const files = { 'key.pem': key, 'certificate.pem': cert, 'ca.pem': authority, 'platform.json': platform };
  await mkdir(folder, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  return folder;
}

async function restingBytes(program: string, args: readonly string[], connected: RegExp): Promise<number> {
  const env = { PATH: process.env['PATH'] };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  try {
    await said(child, connected);
    await pause(SETTLE_MS);
    return residentBytes(child.pid);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

async function said({ stdout, stderr, spawnfile }: ChildProcess, wanted: RegExp): Promise<void> {
  let all = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const hear = (text: string): void => {
    all += text;
    if (wanted.test(all)) resolve();
  };
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', hear);
  const late = setTimeout(() => reject(new Error(`${spawnfile} is not connected: ${all}`)), 30_000);
  await promise.finally(() => clearTimeout(late));
}
