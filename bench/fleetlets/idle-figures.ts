import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ScriptedPlatform, TOKEN } from '#runtime/fleetlet/testing/scripted-platform';
import { type BenchContext, cost, type Figure } from '../figure.ts';
import { installPackage } from '../install-package.ts';
import { benchCertificates } from './bench-certificates.ts';
import { residentBytes } from './child.ts';

const GOAL = 1.4;
const MIB = 2 ** 20;

/** Holds one mTLS session, and does nothing. */
const BARE = `
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
const [port, folder] = process.argv.slice(1);
const read = (name) => readFileSync(folder + '/' + name);
const session = connect('https://localhost:' + port, { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') });
session.on('connect', () => console.log('connected'));
setInterval(() => session.ping(() => {}), 5000);
`;

/** An installed fleetlet, idle after its enrolment, next to the smallest possible connected process. */
export async function idleFigures({ quick, signal }: BenchContext): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-idle-'));
  const platform = new ScriptedPlatform();
  const children: ChildProcess[] = [];
  try {
    await platform.start();
    await installPackage(folder, signal);
    children.push(await startFleetlet(folder, platform), await startBare(folder));
    await pause(quick ? 5_000 : 30_000);
    const [ours = 0, bare = 0] = children.map(({ pid }) => residentBytes(pid) / MIB);
    return [cost({ name: 'idle fleetlet: resident set', unit: 'MiB', value: ours, reference: bare, goal: GOAL })];
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await platform.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startFleetlet(folder: string, platform: ScriptedPlatform): Promise<ChildProcess> {
  await writeFile(join(folder, 'platform-ca.pem'), platform.authority);
  await writeFile(join(folder, 'token'), TOKEN);
  const there = ['--platform', platform.apiUrl, '--ca-file', join(folder, 'platform-ca.pem')];
  const flags = [...there, '--bootstrap-token-file', join(folder, 'token'), '--data', join(folder, 'data')];
  const child = spawn(join(folder, 'fleetshift', 'bin', 'fleetshift'), ['fleetlet', ...flags], { stdio: 'ignore' });
  while (!platform.end.opens.some(({ channel }) => channel === 'access')) {
    if (child.exitCode !== null) throw new Error(`start a fleetlet: it ended with ${child.exitCode}`);
    await pause(50);
  }
  return child;
}

async function startBare(folder: string): Promise<ChildProcess> {
  const { authority, server: tls, key, fleetlets } = benchCertificates(1);
  const files = { 'ca.pem': authority, 'cert.pem': fleetlets[0]?.cert ?? '', 'key.pem': key };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const server = createSecureServer({ ...tls, requestCert: true, rejectUnauthorized: false });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;
  const args = ['--input-type=module', '--eval', BARE, String(port), folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}
