import { setTimeout as pause } from 'node:timers/promises';
import { clustersUnavailable } from '#testing/clusters';
import { hasProgram, prepareProgram } from '#testing/test-programs';
import { usageOf } from '../crs/process-usage.ts';
import { type Bench, type BenchContext, cost, type Figure } from '../figure.ts';
import { type BenchCluster, openClusters } from '../kubernetes/bench-clusters.ts';
import { BenchFleet } from '../kubernetes/bench-fleet.ts';
import { all, BETWEEN_MS, bare, manifest, ours } from '../kubernetes/spread-figures.ts';
import { percentile } from '../statistics.ts';
import { Ocm } from './ocm.ts';

const OCM = 'open-cluster-management';
const SIZES = { full: { clusters: 20, rounds: 15 }, quick: { clusters: 3, rounds: 3 } } as const;
const MIB = 2 ** 20;
/** Ours takes at most as long as theirs. */
const GOAL = 1;

export const peersBench: Bench = {
  name: 'peers',
  description: 'one change to many clusters with ours and with Open Cluster Management, on the same API servers',
  run: async (context) => {
    if ((await clustersUnavailable('apiserver')) !== undefined) return [];
    const program = await findOcm(context);
    if (program === undefined) return [];
    const size = context.quick ? SIZES.quick : SIZES.full;
    const cleanups: (() => Promise<void> | void)[] = [];
    try {
      const clusters = await openClusters(size.clusters, { cleanups, context });
      context.log(`${clusters.length} API servers are there`);
      const fleet = await BenchFleet.open(clusters, { cleanups });
      const ocm = await Ocm.open({ program, clusters, cleanups }, context.signal);
      context.log('both have their agents');
      return await compare({ clusters, fleet, ocm, rounds: size.rounds }, context);
    } finally {
      for (const clean of cleanups.toReversed()) await clean();
    }
  },
};

async function findOcm(context: BenchContext): Promise<string | undefined> {
  const log = (line: string): void => context.log(line);
  if (context.quick && !hasProgram(OCM, process.env)) {
    log('not measured, since a quick run has no time to build Open Cluster Management; run it once without --quick');
    return undefined;
  }
  const program = await prepareProgram(OCM, { log, env: process.env });
  if (program === undefined) log('not measured, since there is no Go on this machine to build it with');
  return program;
}

interface World {
  readonly clusters: readonly BenchCluster[];
  readonly fleet: BenchFleet;
  readonly ocm: Ocm;
  readonly rounds: number;
}

interface Side {
  readonly applied: number[];
  readonly known: number[];
  /** CPU time of its processes for each change; the API servers, also the hub's, are not counted. */
  readonly cpu: number[];
}

/** Alternates the two, so that a slow moment of the machine affects both. */
async function compare({ clusters, fleet, ocm, rounds }: World, context: BenchContext): Promise<Figure[]> {
  const { signal } = context;
  const name = 'peers';
  const [mine, theirs] = [['peers-ours'], ['peers-ocm']];
  const pids = { ours: [fleet.platform.pid, fleet.pid], ocm: ocm.pids };
  const placement = [{ type: 'static', targets: clusters.map((cluster) => cluster.name) }];
  await fleet.create(name, { ...manifest(mine, 'begin'), placement });
  await fleet.knows(name, { after: 0, count: clusters.length });
  await ocm.change(theirs, 'begin', signal);
  await all(clusters, theirs, 'begin');
  await ocm.knows('begin');
  const taken: Record<'ours' | 'ocm', Side> = { ours: side(), ocm: side() };
  const floor: number[] = [];
  const measured = async (of: 'ours' | 'ocm', change: () => Promise<Changed>): Promise<void> => {
    await pause(BETWEEN_MS);
    const before = cpuMs(pids[of]);
    const { applied, known } = await change();
    taken[of].applied.push(applied);
    taken[of].known.push(known);
    // The work that follows the last apply is part of the change.
    await pause(BETWEEN_MS);
    taken[of].cpu.push(cpuMs(pids[of]) - before);
  };
  for (let round = 0; round < rounds; round += 1) {
    const value = `v-${round}`;
    await measured('ours', async () => await ours({ clusters, fleet, name, names: mine, value }));
    await measured('ocm', async () => await byOcm({ clusters, ocm, names: theirs, value }, signal));
    await pause(BETWEEN_MS);
    floor.push(await bare(clusters, { objects: 1, value }, signal));
    context.log(`round ${round + 1}: applied ${last(taken.ours.applied)} ms, by OCM ${last(taken.ocm.applied)} ms`);
  }
  return figuresOf(taken, { floor, pids, clusters: clusters.length });
}

interface Changed {
  readonly applied: number;
  readonly known: number;
}

async function byOcm(
  {
    clusters,
    ocm,
    names,
    value,
  }: Pick<World, 'clusters' | 'ocm'> & { readonly names: string[]; readonly value: string },
  signal: AbortSignal,
): Promise<Changed> {
  const applied = all(clusters, names, value);
  const begun = performance.now();
  await ocm.change(names, value, signal);
  const known = ocm.knows(value);
  return { applied: (await applied) - begun, known: (await known) - begun };
}

interface Measured {
  readonly floor: readonly number[];
  readonly pids: Readonly<Record<'ours' | 'ocm', readonly number[]>>;
  readonly clusters: number;
}

function figuresOf(
  { ours: our, ocm: their }: Readonly<Record<'ours' | 'ocm', Side>>,
  { floor, pids, clusters }: Measured,
): Figure[] {
  const of = `${clusters} clusters, one change`;
  const beside = (name: string, pick: keyof Side, part = 0.5, goal?: number): Figure =>
    cost({
      name: `${of}: ${name}`,
      unit: 'ms',
      value: percentile(our[pick], part),
      reference: percentile(their[pick], part),
      ...(goal !== undefined && { goal }),
    });
  return [
    beside('applied on the last, beside OCM', 'applied', 0.5, GOAL),
    beside('applied on the last, p90, beside OCM', 'applied', 0.9),
    beside('known on the hub, beside OCM', 'known', 0.5, GOAL),
    beside('CPU of manager and agents, beside OCM', 'cpu'),
    cost({
      name: `${of}: OCM, applied on the last, beside a bare loop`,
      unit: 'ms',
      value: percentile(their.applied, 0.5),
      reference: percentile(floor, 0.5),
    }),
    cost({
      name: 'peak resident set of manager and agents, beside OCM',
      unit: 'MiB',
      value: residentMib(pids.ours),
      reference: residentMib(pids.ocm),
    }),
  ];
}

function side(): Side {
  return { applied: [], known: [], cpu: [] };
}

function last(values: readonly number[]): string {
  return (values.at(-1) ?? Number.NaN).toFixed(0);
}

function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + usageOf(pid).cpuSeconds * 1_000, 0);
}

function residentMib(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + usageOf(pid).peakBytes, 0) / MIB;
}
