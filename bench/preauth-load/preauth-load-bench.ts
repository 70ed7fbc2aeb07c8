import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Platform, platformHome } from '#testing/platform-process';
import { type Bench, type BenchContext, cost, type Figure, plain } from '../figure.ts';
import { Child, residentBytes } from '../fleetlets/child.ts';
import { enrolAll } from '../fleetlets/platform-figures.ts';
import { installPackage } from '../install-package.ts';
import { PRODUCT_ENVIRONMENT, productFlags } from '../product-flags.ts';
import { percentile } from '../statistics.ts';
import type { AttackCount, AttackOrder } from './attacker-process.ts';

const FULL_MS = 300_000;
const QUICK_MS = 9_000;
const ASK_EVERY_MS = 20;
const MEMORY_GOAL = 1.3;
const LATENCY_GOAL = 2;
const MIB = 2 ** 20;
const PATHS = ['/v1/targets?pageSize=20', '/v1/fleetlets?pageSize=20', '/v1/deployments?pageSize=20'];

export const preauthLoadBench: Bench = {
  name: 'preauth-load',
  description:
    'impact on known callers while 254 addresses attack before authentication, compared with well-behaved ones',
  run: async (context) => {
    const home = await platformHome('sqlite');
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-preauth-'));
    const [swarm, attacker] = ['../fleetlets/swarm-process.ts', './attacker-process.ts'].map(
      (program) => new Child(new URL(program, import.meta.url)),
    ) as [Child, Child];
    try {
      const flags = ['--fleetlet-listen', '127.0.0.1:0', '--rate-limit', '1000000'];
      const program = pathToFileURL(join(await installPackage(folder, context.signal), 'fleetshift.js'));
      const platform = await home.start({
        flags,
        nodeFlags: productFlags(),
        program,
        environment: PRODUCT_ENVIRONMENT,
      });
      return await figuresOf(context, { platform, swarm, attacker });
    } finally {
      await Promise.all([swarm.stop(), attacker.stop()]);
      await home.dispose();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Parts {
  readonly platform: Platform;
  readonly swarm: Child;
  readonly attacker: Child;
}

async function figuresOf(context: BenchContext, { platform, swarm, attacker }: Parts): Promise<Figure[]> {
  const { quick } = context;
  const count = quick ? 20 : 100;
  const enrolled = await enrolAll(platform, count);
  const [host = '', port = ''] = enrolled[0]?.grpc.split(':') ?? [];
  const grpc = { host, port: Number(port) };
  await swarm.ask('connect', { to: grpc, authority: enrolled[0]?.authority, who: enrolled.map(({ who }) => who) });
  const { hostname, port: httpPort } = new URL(platform.url);
  const http = { host: hostname, port: Number(httpPort) };
  const ms = quick ? QUICK_MS : FULL_MS;
  const under = async (isHostile: boolean): Promise<Load> => {
    const before = await lostSessions(platform);
    await attacker.ask('begin', { http, grpc, isHostile } satisfies AttackOrder);
    const load = await ask(platform, ms);
    const { made, held } = await attacker.ask<AttackCount>('end');
    const lost = (await lostSessions(platform)) - before;
    context.log(`${isHostile ? 'hostile' : 'well-behaved'}: ${made} connections made, ${held} held at the end`);
    return { ...load, lost, perSecond: made / (ms / 1_000) };
  };
  // Warms caches and compiled code: the idle figure is for a platform that has been used.
  await ask(platform, quick ? 2_000 : 10_000);
  const idleBytes = residentBytes(platform.pid);
  const calm = await under(false);
  const hostile = await under(true);
  return [
    atMost('requests of others that were not answered', hostile.failed, ''),
    atMost('fleetlets that were lost', hostile.lost, ''),
    cost({
      name: 'largest resident set',
      unit: 'MiB',
      value: hostile.mostBytes / MIB,
      reference: idleBytes / MIB,
      goal: MEMORY_GOAL,
    }),
    cost({
      name: 'API p99 of others',
      unit: 'ms',
      value: percentile(hostile.taken, 0.99),
      reference: percentile(calm.taken, 0.99),
      goal: LATENCY_GOAL,
    }),
    plain('largest resident set with the well-behaved', calm.mostBytes / MIB, 'MiB'),
    // Below 200, the attacker got too little of the machine to keep its rate.
    plain('hostile connections made', hostile.perSecond, '/s'),
    plain('requests of others', hostile.taken.length, ''),
  ];
}

function atMost(name: string, value: number, unit: string): Figure {
  return { ...plain(name, value, unit), goal: 0, met: value <= 0 };
}

interface Load {
  readonly taken: readonly number[];
  readonly failed: number;
  readonly mostBytes: number;
  readonly lost: number;
  readonly perSecond: number;
}

/** Starts requests at a fixed rate, whether or not earlier ones were answered. */
async function ask(platform: Platform, ms: number): Promise<Omit<Load, 'lost' | 'perSecond'>> {
  const taken: number[] = [];
  let [failed, mostBytes] = [0, 0];
  const one = async (path: string): Promise<void> => {
    const begun = performance.now();
    try {
      const answer = await platform.request(path);
      await answer.arrayBuffer();
      if (answer.ok) taken.push(performance.now() - begun);
      else failed += 1;
    } catch {
      failed += 1;
    }
  };
  const asked: Promise<void>[] = [];
  const until = performance.now() + ms;
  for (let nth = 0; performance.now() < until; nth += 1) {
    asked.push(one(PATHS[nth % PATHS.length] ?? ''));
    if (nth % 10 === 0) mostBytes = Math.max(mostBytes, residentBytes(platform.pid));
    await pause(ASK_EVERY_MS);
  }
  await Promise.all(asked);
  return { taken, failed, mostBytes };
}

/** The sessions ended so far; a fleetlet that was lost and came back counts, too. */
async function lostSessions(platform: Platform): Promise<number> {
  const metrics = await (await platform.request('/metrics')).text();
  if (!metrics.includes('fleetshift_fleetlet_events_total{')) throw new Error('the metric of sessions is gone');
  return Number(/^fleetshift_fleetlet_events_total\{[^}]*"disconnected"[^}]*\} (\d+)/m.exec(metrics)?.[1] ?? 0);
}
