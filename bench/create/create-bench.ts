import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { type Platform, platformHome } from '#testing/platform-process';
import { DeploymentClient, saying } from '../../e2e/rollouts/deployment-client.ts';
import type { Bench, BenchContext, Figure } from '../figure.ts';
import { plain } from '../figure.ts';
import { residentBytes } from '../fleetlets/child.ts';
import { installPackage } from '../install-package.ts';
import { PRODUCT_ENVIRONMENT, productFlags } from '../product-flags.ts';
import { percentile } from '../statistics.ts';
import { eventBytes } from './event-bytes.ts';

const PROGRAM = 'e2e/serve-simulated.ts';
const WORKSPACE = 'shop';
/** Each deployment is on so many targets. */
const WIDTH = 5;
const CLIENTS = 50;
const ALONE = 20;
const PLANNED_MS = 500;
const ALONE_GOAL_MS = 20;
const LOADED_GOAL_MS = 200;
/** What stays after all is done may be this many times what was there before. */
const MEMORY_GOAL = 1.5;
/** The documents of a deployment are larger than all that its events say of its state, and go into one event. */
const DOCUMENT_BYTES = 10_240;
const EVENTS_GOAL_BYTES = 32_768;
const MIB = 2 ** 20;

/** Collects on SIGUSR2: what stays is measured after a collection. */
const COLLECTS = "data:text/javascript,process.on('SIGUSR2',()=>globalThis.gc())";
const COLLECTED_MS = 2_000;

export const createBench: Bench = {
  name: 'create',
  description: 'creating deployments, each on a few targets of a large workspace: alone, and by 50 clients at once',
  run: async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-bench-'));
    try {
      const installed = await installPackage(folder, context.signal, { 'serve-simulated': PROGRAM });
      const program = join(installed, 'serve-simulated.js');
      const figures: Figure[] = [];
      for (const engine of DATABASES) figures.push(...(await measure(engine, program, context)));
      return figures;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function measure(engine: Engine, program: string, context: BenchContext): Promise<Figure[]> {
  const [targets, deployments] = context.quick ? [1_000, 200] : [5_000, 1_000];
  const home = await platformHome(engine);
  try {
    const nodeFlags = [...productFlags(), '--expose-gc', `--import=${COLLECTS}`];
    const flags = ['--rate-limit', '1000000'];
    const start = { flags, nodeFlags, program: pathToFileURL(program), environment: PRODUCT_ENVIRONMENT };
    const platform = await home.start(start);
    const client = new DeploymentClient(platform, WORKSPACE);
    await client.settle(fleetOf(targets, deployments));
    await client.untilIdle();
    const before = await restingBytes(platform.pid);

    const drafts = Array.from({ length: deployments }, (_, nth) => draftOf(nth));
    const alone = await createAlone(platform, drafts.slice(0, ALONE));
    const begun = performance.now();
    const loaded = await createTogether(platform, drafts.slice(ALONE));
    const tookMs = performance.now() - begun;
    await client.untilIdle();
    const idleMs = performance.now() - begun;
    const after = await restingBytes(platform.pid);
    await platform.stop();

    const what = `${engine}: ${deployments} deployments over ${targets} targets`;
    const said = `created in ${(tookMs / 1_000).toFixed(1)} s, all rolled out after ${(idleMs / 1_000).toFixed(1)} s`;
    context.log(`${what}: ${said}`);
    return [
      atMost(`${what}: alone, targets by name`, percentile(alone.named, 0.5), 'ms', ALONE_GOAL_MS),
      atMost(`${what}: alone, targets by label`, percentile(alone.labelled, 0.5), 'ms', ALONE_GOAL_MS),
      plain(`${what}: ${CLIENTS} clients, p50`, percentile(loaded.taken, 0.5), 'ms'),
      atMost(`${what}: ${CLIENTS} clients, p99`, percentile(loaded.taken, 0.99), 'ms', LOADED_GOAL_MS),
      atMost(`${what}: refused`, loaded.refused, 'requests', 0),
      plain(`${what}: all rolled out`, idleMs, 'ms'),
      plain(`${what}: resident set before`, before / MIB, 'MiB'),
      atMost(`${what}: resident set after, in times of before`, after / before, 'times', MEMORY_GOAL),
      atMost(`${what}: events for each`, (await eventBytes(home)) / deployments, 'bytes', EVENTS_GOAL_BYTES),
    ];
  } finally {
    await home.dispose();
  }
}

function fleetOf(targets: number, groups: number) {
  return Array.from({ length: targets }, (_, nth) => ({
    name: `t-${nth}`,
    labels: { group: `g-${nth % groups}`, region: `r-${nth % 7}` },
  }));
}

/** Every other deployment names its targets; the rest select them. */
function draftOf(nth: number) {
  const placement =
    nth % 2 === 0
      ? { type: 'static', targets: Array.from({ length: WIDTH }, (_, other) => `t-${(nth * WIDTH + other) % 1_000}`) }
      : { type: 'selector', matchLabels: { group: `g-${nth}` } };
  return { name: `app-${nth}`, manifest: saying(`${nth} `.padEnd(DOCUMENT_BYTES, 'x')), placement: [placement] };
}

async function createAlone(platform: Platform, drafts: readonly ReturnType<typeof draftOf>[]) {
  const taken: { readonly named: number[]; readonly labelled: number[] } = { named: [], labelled: [] };
  for (const draft of drafts) {
    const { ms, status } = await create(platform, draft);
    if (status !== 201) throw new Error(`create ${draft.name}: ${status}`);
    taken[draft.placement[0]?.type === 'static' ? 'named' : 'labelled'].push(ms);
    // Its first plan is over by then.
    await pause(PLANNED_MS);
  }
  return taken;
}

/** Repeats a request that was refused for now, as a client would. */
async function createTogether(platform: Platform, drafts: readonly ReturnType<typeof draftOf>[]) {
  const taken: number[] = [];
  let refused = 0;
  const queue = drafts.values();
  const work = async (): Promise<void> => {
    for (const draft of queue) {
      const begun = performance.now();
      for (;;) {
        const { status } = await create(platform, draft);
        if (status === 201) break;
        if (status < 429) throw new Error(`create ${draft.name}: ${status}`);
        refused += 1;
        await pause(100);
      }
      taken.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  return { taken, refused };
}

async function create(platform: Platform, body: object): Promise<{ readonly ms: number; readonly status: number }> {
  const begun = performance.now();
  const response = await platform.request(`/v1/workspaces/${WORKSPACE}/deployments`, { method: 'POST', body });
  await response.arrayBuffer();
  return { ms: performance.now() - begun, status: response.status };
}

async function restingBytes(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  await pause(COLLECTED_MS);
  return residentBytes(pid);
}

function atMost(name: string, value: number, unit: string, goal: number): Figure {
  return { ...plain(name, value, unit), goal, met: value <= goal };
}
