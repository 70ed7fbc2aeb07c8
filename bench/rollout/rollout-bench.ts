import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Engine } from '#kit/storage';
import { DATABASES, freshDatabase } from '#testing/databases';
import { type Bench, type BenchContext, cost, type Figure, plain } from '../figure.ts';
import { installPackage } from '../install-package.ts';
import { PRODUCT_ENVIRONMENT, productFlags } from '../product-flags.ts';
import type { RolloutOrders, RolloutRun } from './rollout-process.ts';

const PROCESS = 'bench/rollout/rollout-process.ts';
const ENVIRONMENT = { ...process.env, ...PRODUCT_ENVIRONMENT };
const GOAL = 2;
const MEMORY_GOAL_MIB = { few: 250, many: 350 };
/** On an idle machine: a process that waits for a core counts as blocked too. */
const BLOCKED_GOAL_MS = 50;
const GENERATED = 1_000;
const GENERATE_MS = 20;
const ADDED_GOAL_MS = 2_000;
const ROUNDS = 3;

export const rolloutBench: Bench = {
  name: 'rollout',
  description: 'rollout of a one-line change to a simulated fleet, compared with a bare loop over the same agents',
  run: async (given) => {
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-bench-'));
    try {
      const installed = await installPackage(folder, given.signal, { 'rollout-process': PROCESS });
      const context = { ...given, program: join(installed, 'rollout-process.js') };
      const figures: Figure[] = [];
      for (const engine of DATABASES) {
        figures.push(await measureGeneration(engine, context));
        for (const rollout of ['immediate', 'staged'] as const)
          figures.push(...(await measure(engine, rollout, context)));
      }
      return figures;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface RolloutContext extends BenchContext {
  /** The process that is measured, as it would be in the package. */
  readonly program: string;
}

async function measure(engine: Engine, rollout: RolloutOrders['rollout'], context: RolloutContext): Promise<Figure[]> {
  const sizes = context.quick ? [200, 1_000] : [1_000, 10_000];
  const figures: Figure[] = [];
  const perTarget: number[] = [];
  for (const size of sizes) {
    const run = await best({ engine, rollout, size }, context);
    const what = `${engine}: ${rollout}, ${size} targets`;
    const { firstMs, lastMs, endMs, bareMs, transactions, rows, steps, peakBytes, blockedMs } = run;
    perTarget.push(endMs / size);
    context.log(
      `${what}: last target after ${lastMs.toFixed(0)} ms, over after ${endMs.toFixed(0)} ms, bare loop ${bareMs.toFixed(0)} ms`,
    );
    figures.push(
      plain(`${what}: first target`, firstMs, 'ms'),
      cost({ name: `${what}: last target`, unit: 'ms', value: lastMs, reference: bareMs, goal: GOAL }),
      cost({ name: `${what}: rollout over`, unit: 'ms', value: endMs, reference: bareMs }),
      plain(`${what}: steps of the engine for each target`, steps / size, 'steps'),
      plain(`${what}: transactions for each target`, transactions / size, 'transactions'),
      plain(`${what}: rows written for each target`, rows / size, 'rows'),
      atMost(plain(`${what}: longest turn of the event loop`, blockedMs, 'ms'), BLOCKED_GOAL_MS),
      memory(what, peakBytes / 2 ** 20, size),
    );
  }
  const [few = 1, many = 1] = perTarget;
  const name = `${engine}: ${rollout}: time for each target, ${sizes.at(-1)} beside ${sizes[0]}`;
  return [...figures, cost({ name, unit: 'ms', value: many, reference: few, goal: 1.25 })];
}

/** The time that a strategy adds which has to ask elsewhere for each target. */
async function measureGeneration(engine: Engine, context: RolloutContext): Promise<Figure> {
  const what = { engine, rollout: 'immediate', size: GENERATED } as const;
  const quick = await runOnce(what, context);
  const slow = await runOnce({ ...what, generateMs: GENERATE_MS }, context);
  const added = slow.endMs - quick.endMs;
  const name = `${engine}: immediate, ${GENERATED} targets: added by a strategy that takes ${GENERATE_MS} ms`;
  return { ...plain(name, added, 'ms'), goal: ADDED_GOAL_MS, met: added <= ADDED_GOAL_MS };
}

function memory(what: string, mebibytes: number, size: number): Figure {
  const figure = plain(`${what}: peak resident set`, mebibytes, 'MiB');
  return atMost(figure, size > 1_000 ? MEMORY_GOAL_MIB.many : MEMORY_GOAL_MIB.few);
}

function atMost(figure: Figure, goal: number): Figure {
  return { ...figure, goal, met: figure.value <= goal };
}

/** The run that the machine disturbed least. */
async function best(what: Pick<RolloutOrders, 'rollout' | 'size'> & { engine: Engine }, context: RolloutContext) {
  const runs: RolloutRun[] = [];
  for (let round = 0; round < (context.quick ? 1 : ROUNDS); round += 1) runs.push(await runOnce(what, context));
  return runs.reduce((a, b) => (b.endMs / b.bareMs < a.endMs / a.bareMs ? b : a));
}

async function runOnce(
  { engine, ...what }: Pick<RolloutOrders, 'rollout' | 'size' | 'generateMs'> & { engine: Engine },
  { signal, program }: RolloutContext,
): Promise<RolloutRun> {
  const database = await freshDatabase(engine);
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-bench-'));
  try {
    const place = database.engine === 'sqlite' ? { file: database.file } : { url: database.url };
    const orders = JSON.stringify({ place, folder, ...what } satisfies RolloutOrders);
    const { stdout } = await promisify(execFile)(process.execPath, [...productFlags(), program, orders], {
      signal,
      env: ENVIRONMENT,
    });
    return JSON.parse(stdout) as RolloutRun;
  } finally {
    await database.dispose();
    await rm(folder, { recursive: true });
  }
}
