import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createSigningRequest } from '#kit/pki';
import { type Platform, platformHome } from '#testing/platform-process';
import { type BenchContext, cost, type Figure, plain } from '../figure.ts';
import { installPackage } from '../install-package.ts';
import { PRODUCT_ENVIRONMENT, productFlags } from '../product-flags.ts';
import { percentile } from '../statistics.ts';
import { MEMORY_GOAL } from './channel-figures.ts';
import { Child, residentBytes } from './child.ts';
import type { SwarmOrder } from './swarm-fleetlet.ts';

const BACK_GOAL_MS = 15_000;
/** On an idle machine: the load average is printed. */
const API_GOAL_MS = 150;
const ASK_EVERY_MS = 20;
const MIB = 2 ** 20;
const PATHS = ['/v1/targets?pageSize=20', '/v1/fleetlets?pageSize=20', '/v1/deployments?pageSize=20'];

/** Collects on SIGUSR2: the raw server is also measured after a collection. */
const COLLECTS = "data:text/javascript,process.on('SIGUSR2',()=>globalThis.gc())";
const COLLECTED_MS = 2_000;

type Who = SwarmOrder['who'];
type Enrolled = { readonly who: Who; readonly authority: string; readonly grpc: string };

/** The whole installed platform: enrolled fleetlets, each with a target, and all disconnected at once. */
export async function platformFigures(context: BenchContext, rawBytes: number): Promise<Figure[]> {
  const { quick, signal } = context;
  const count = quick ? 100 : 1_000;
  const home = await platformHome('sqlite');
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-platform-'));
  const swarm = new Child(new URL('./swarm-process.ts', import.meta.url));
  try {
    const nodeFlags = [...productFlags(), '--expose-gc', `--import=${COLLECTS}`];
    const flags = ['--fleetlet-listen', '127.0.0.1:0', '--rate-limit', '1000000'];
    const program = pathToFileURL(join(await installPackage(folder, signal), 'fleetshift.js'));
    const platform = await home.start({ flags, nodeFlags, program, environment: PRODUCT_ENVIRONMENT });
    const enrolled = await enrolAll(platform, count);
    const emptyBytes = await restingBytes(platform.pid);
    const [host = '', port = ''] = enrolled[0]?.grpc.split(':') ?? [];
    const order = { to: { host, port: Number(port) }, authority: enrolled[0]?.authority };
    const connectMs = await swarm.ask<number>('connect', { ...order, who: enrolled.map(({ who }) => who) });
    context.log(`platform: ${count} enrolled, and connected in ${(connectMs / 1_000).toFixed(1)} s`);
    const calm = await askMeanwhile(platform, () => pause(quick ? 1_000 : 5_000, 0));
    const fullBytes = await restingBytes(platform.pid);
    const storm = await askMeanwhile(platform, () => swarm.ask<number>('drop'));
    const p99 = percentile(storm.taken, 0.99);
    return [
      plain(`platform: connect ${count}, targets registered`, connectMs, 'ms'),
      cost({
        name: `platform with ${count}: resident set`,
        unit: 'MiB',
        value: fullBytes / MIB,
        reference: rawBytes / MIB,
        goal: MEMORY_GOAL,
      }),
      plain('platform: resident set after the storm', (await restingBytes(platform.pid)) / MIB, 'MiB'),
      plain('platform: resident set before', emptyBytes / MIB, 'MiB'),
      atMost(`all ${count} dropped at once, and back`, storm.ended, BACK_GOAL_MS),
      plain('API p99 while nothing happens', percentile(calm.taken, 0.99), 'ms'),
      atMost('API p99 while they come back', p99, API_GOAL_MS),
    ];
  } finally {
    await swarm.stop();
    await home.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function restingBytes(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  await pause(COLLECTED_MS);
  return residentBytes(pid);
}

function atMost(name: string, value: number, goal: number): Figure {
  return { ...plain(name, value, 'ms'), goal, met: value <= goal };
}

/** Starts requests at a fixed rate, whether or not earlier ones were answered, as independent callers do. */
async function askMeanwhile(
  platform: Platform,
  what: () => Promise<number>,
): Promise<{ taken: number[]; ended: number }> {
  const taken: number[] = [];
  const asked: Promise<void>[] = [];
  let isOver = false;
  const done = what().finally(() => (isOver = true));
  for (let nth = 0; !isOver || nth < 100; nth += 1) {
    asked.push(ask(platform, PATHS[nth % PATHS.length] ?? '', taken));
    await pause(ASK_EVERY_MS);
  }
  await Promise.all(asked);
  return { taken, ended: await done };
}

async function ask(platform: Platform, path: string, taken: number[]): Promise<void> {
  const begun = performance.now();
  const response = await platform.request(path);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
  taken.push(performance.now() - begun);
}

export async function enrolAll(platform: Platform, count: number): Promise<Enrolled[]> {
  const path = '/v1/workspaces/root/bootstrap-tokens';
  const { token } = await told<{ token: string }>(platform, path, { uses: count });
  const enrolled: Enrolled[] = [];
  const names = Array.from({ length: count }, (_, nth) => `target-${nth}`).values();
  const worker = async (): Promise<void> => {
    for (const name of names) enrolled.push(await enrol(platform, token, name));
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return enrolled;
}

interface Answer {
  readonly certificate: string;
  readonly serverCa: string;
  readonly endpoints: { readonly grpc: string };
}

async function enrol(platform: Platform, token: string, target: string): Promise<Enrolled> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = {
    token,
    csr: createSigningRequest(privateKey, 'bench'),
    targets: [{ name: target, type: 'directory' }],
  };
  const { certificate: cert, serverCa: authority, endpoints } = await told<Answer>(platform, '/v1/enroll', body);
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { who: { cert, key, target }, authority, grpc: endpoints.grpc };
}

async function told<T>(platform: Platform, path: string, body: object): Promise<T> {
  const response = await platform.request(path, { method: 'POST', body });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
