import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import type { Comparison } from './beside/compare-rounds.ts';
import { runBeside } from './beside/run-beside.ts';
import type { Bench, Figure } from './figure.ts';

/** Loaded on demand: a bench may need modules that others do not. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  access: async () => (await import('./access/access-bench.ts')).accessBench,
  cli: async () => (await import('./cli/cli-bench.ts')).cliBench,
  create: async () => (await import('./create/create-bench.ts')).createBench,
  crs: async () => (await import('./crs/crs-bench.ts')).crsBench,
  durable: async () => (await import('./durable/durable-bench.ts')).durableBench,
  fleetlets: async () => (await import('./fleetlets/fleetlets-bench.ts')).fleetletsBench,
  kubernetes: async () => (await import('./kubernetes/kubernetes-bench.ts')).kubernetesBench,
  kube: async () => (await import('./kube/kube-bench.ts')).kubeBench,
  peers: async () => (await import('./peers/peers-bench.ts')).peersBench,
  'preauth-load': async () => (await import('./preauth-load/preauth-load-bench.ts')).preauthLoadBench,
  rollout: async () => (await import('./rollout/rollout-bench.ts')).rolloutBench,
  start: async () => (await import('./start/start-bench.ts')).startBench,
  storage: async () => (await import('./storage/storage-bench.ts')).storageBench,
  subtree: async () => (await import('./subtree/subtree-bench.ts')).subtreeBench,
};

const USAGE = `usage: npm run bench -- NAME [--quick] [--peer NAME=COMMAND]... [--beside REF [--rounds N] [--fail-if-worse]]

benches: ${Object.keys(BENCHES).join(', ')}`;
const ROUNDS = 5;

async function main(): Promise<number> {
  const options = {
    quick: { type: 'boolean' },
    peer: { type: 'string', multiple: true },
    beside: { type: 'string' },
    rounds: { type: 'string' },
    'fail-if-worse': { type: 'boolean' },
  } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const load = BENCHES[positionals[0] ?? ''];
  if (load === undefined || positionals.length !== 1) {
    console.error(USAGE);
    return 2;
  }
  const bench = await load();
  if (values.beside !== undefined) return await beside(bench.name, { ...values, beside: values.beside });
  console.log(`${bench.name}: ${bench.description}\nload average before: ${loadavg()[0]?.toFixed(1)}\n`);
  const signal = AbortSignal.timeout(30 * 60_000);
  const { quick = false, peer: peers = [] } = values;
  const figures = await bench.run({ quick, peers, signal, log: (line) => console.log(line) });
  console.log(`\n${table(figures)}\n`);
  for (const figure of figures.filter(({ met }) => met === false)) {
    const { name, ratio, value } = figure;
    console.log(`goal not met: ${name}: ${ratio ?? value}, the goal is at most ${goalOf(figure)}`);
  }
  console.log(JSON.stringify({ bench: bench.name, machine: machine(), figures }));
  return 0;
}

interface BesideFlags {
  readonly beside: string;
  readonly rounds?: string;
  readonly quick?: boolean;
  readonly peer?: readonly string[];
  readonly 'fail-if-worse'?: boolean;
}

async function beside(bench: string, flags: BesideFlags): Promise<number> {
  const { beside: ref, quick = false, peer: peers = [] } = flags;
  const rounds = Number(flags.rounds ?? ROUNDS);
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error(`--rounds ${flags.rounds}: expected a whole number of at least 1\n\n${USAGE}`);
    return 2;
  }
  const args = [...(quick ? ['--quick'] : []), ...peers.flatMap((peer) => ['--peer', peer])];
  const signal = AbortSignal.timeout(rounds * 2 * 31 * 60_000);
  const log = (line: string): void => console.log(line);
  const { commit, comparisons } = await runBeside({ bench, ref, rounds, args, log }, signal);
  const worse = comparisons.filter(({ verdict }) => verdict === 'worse');
  console.log(`\n${besideTable(comparisons, ref)}\n`);
  for (const { name, spread } of worse) console.log(`worse: ${name}: at least ${spread?.[0]}x in every round`);
  console.log(JSON.stringify({ bench, beside: { ref, commit }, rounds, quick, machine: machine(), comparisons }));
  return flags['fail-if-worse'] === true && worse.length > 0 ? 1 : 0;
}

function besideTable(comparisons: readonly Comparison[], ref: string): string {
  const rows = comparisons.map(({ name, unit, ours, theirs, ratio, spread, verdict }) => [
    name,
    ours === undefined ? '' : `${ours} ${unit}`,
    theirs === undefined ? '' : `${theirs} ${unit}`,
    ratio === undefined ? '' : `${ratio}x`,
    spread === undefined ? '' : `${spread[0]}..${spread[1]}`,
    verdict,
  ]);
  return columns([['figure', 'this checkout', ref, 'ratio', 'spread', 'verdict'], ...rows]);
}

function machine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
  };
}

/** A goal is a ratio where there is a reference, otherwise a value. */
function goalOf({ goal, ratio, unit }: Figure): string {
  return ratio === undefined ? `${goal} ${unit}` : `${goal}x`;
}

function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${figure.value} ${figure.unit}`,
    figure.reference === undefined ? '' : String(figure.reference),
    figure.ratio === undefined ? '' : `${figure.ratio}x`,
    figure.goal === undefined ? '' : `<= ${goalOf(figure)} ${figure.met ? 'met' : 'NOT MET'}`,
  ]);
  return columns([['figure', 'value', 'reference', 'ratio', 'goal'], ...rows]);
}

function columns(all: readonly (readonly string[])[]): string {
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
