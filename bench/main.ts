import { availableParallelism, cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, Figure } from './figure.ts';

/** Loaded on demand: a bench may need parts that another does not. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  access: async () => (await import('./access/access-bench.ts')).accessBench,
  cli: async () => (await import('./cli/cli-bench.ts')).cliBench,
  crs: async () => (await import('./crs/crs-bench.ts')).crsBench,
  durable: async () => (await import('./durable/durable-bench.ts')).durableBench,
  fleetlets: async () => (await import('./fleetlets/fleetlets-bench.ts')).fleetletsBench,
  kubernetes: async () => (await import('./kubernetes/kubernetes-bench.ts')).kubernetesBench,
  kube: async () => (await import('./kube/kube-bench.ts')).kubeBench,
  rollout: async () => (await import('./rollout/rollout-bench.ts')).rolloutBench,
  start: async () => (await import('./start/start-bench.ts')).startBench,
  storage: async () => (await import('./storage/storage-bench.ts')).storageBench,
  subtree: async () => (await import('./subtree/subtree-bench.ts')).subtreeBench,
};

const USAGE = `usage: npm run bench -- NAME [--quick] [--peer NAME=COMMAND]...\n\nbenches: ${Object.keys(BENCHES).join(', ')}`;

async function main(): Promise<number> {
  const options = { quick: { type: 'boolean' }, peer: { type: 'string', multiple: true } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const load = BENCHES[positionals[0] ?? ''];
  if (load === undefined || positionals.length !== 1) {
    console.error(USAGE);
    return 2;
  }
  const bench = await load();
  console.log(`${bench.name}: ${bench.description}\n`);
  const signal = AbortSignal.timeout(30 * 60_000);
  const { quick = false, peer: peers = [] } = values;
  const figures = await bench.run({ quick, peers, signal, log: (line) => console.log(line) });
  console.log(`\n${table(figures)}\n`);
  for (const figure of figures.filter(({ met }) => met === false)) {
    const { name, ratio, value } = figure;
    console.log(`goal not met: ${name}: ${ratio ?? value}, at most ${goalOf(figure)} wanted`);
  }
  console.log(JSON.stringify({ bench: bench.name, machine: machine(), figures }));
  return 0;
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

/** A goal is a ratio where there is something to compare with, else a value. */
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
  const all = [['figure', 'value', 'reference', 'ratio', 'goal'], ...rows];
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

process.exitCode = await main();
