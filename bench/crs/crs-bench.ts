import { capiUnavailable } from '#testing/capi';
import { type Cleaner, clustersUnavailable } from '#testing/clusters';
import { MANAGERS, type ManagerKind } from '../../e2e/crs/managers.ts';
import { type Bench, type BenchContext, cost, type Figure, plain } from '../figure.ts';
import { percentile } from '../statistics.ts';
import type { AuditedRequest } from './audit-log.ts';
import { openWorld, type World } from './crs-world.ts';
import { Fleet, type FleetSize } from './fleet.ts';
import { type Measured, measureRun, PHASES, type Phase, type Run } from './measure-run.ts';

const TIME_GOAL = 0.5;
const REQUESTS_GOAL = 0.2;
const MEMORY_GOAL_MIB = 150;
const SIZES = {
  full: { sets: 20, clusters: 20, servers: 4, rounds: 3 },
  quick: { sets: 5, clusters: 4, servers: 1, rounds: 1 },
} as const;

type Runs = Readonly<Record<ManagerKind, readonly Run[]>>;

export const crsBench: Bench = {
  name: 'crs',
  description: "ClusterResourceSets with our manager and with Cluster API's, on the same API servers",
  run: async (context) => {
    if ((await clustersUnavailable()) !== undefined || (await capiUnavailable()) !== undefined) return [];
    const cleanups: (() => Promise<void> | void)[] = [];
    const t: Cleaner = { after: (clean) => void cleanups.push(clean) };
    const size = context.quick ? SIZES.quick : SIZES.full;
    try {
      const world = await openWorld(t, size.servers, context.signal);
      return figuresOf(await runAll(world, size, context), size);
    } finally {
      for (const clean of cleanups.toReversed()) await clean();
    }
  },
};

/** Alternates the managers, so that a slow moment of the machine affects both. */
async function runAll(
  world: World,
  size: FleetSize & { readonly rounds: number },
  context: BenchContext,
): Promise<Runs> {
  const runs: Record<ManagerKind, Run[]> = { ours: [], upstream: [] };
  for (let round = 0; round < size.rounds; round += 1) {
    for (const kind of MANAGERS) {
      const fleet = new Fleet(world, size, `run-${round}-${kind}`);
      const run = await measureRun(kind, { world, fleet }, context.signal);
      if (run === undefined) continue;
      runs[kind].push(run);
      const times = PHASES.map((phase) => `${phase} ${Math.round(run.phases[phase].ms)} ms`);
      context.log(`${kind}, round ${round + 1}: ${times.join(', ')}`);
    }
  }
  return runs;
}

function figuresOf(runs: Runs, { sets, clusters }: FleetSize): Figure[] {
  const MiB = 2 ** 20;
  return [
    ...PHASES.flatMap((phase) => phaseFigures(runs, phase)),
    // DECISION: a goal for all phases together. A change takes at least one write per binding, and where one set changed,
    // upstream needs no more than twice that.
    beside(runs, {
      name: 'all phases: requests to the management server',
      unit: 'requests',
      of: ({ phases }) => PHASES.reduce((sum, phase) => sum + phases[phase].management.length, 0),
      goal: REQUESTS_GOAL,
    }),
    beside(runs, { name: 'CPU', unit: 's', of: (run) => run.cpuSeconds }),
    beside(runs, { name: 'peak resident set', unit: 'MiB', of: (run) => run.peakBytes / MiB }),
    atMost(
      plain(
        'peak resident set of ours',
        middle(runs.ours, (run) => run.peakBytes / MiB),
        'MiB',
      ),
      MEMORY_GOAL_MIB,
    ),
    atMost(plain('requests for sets that did not change', worst(runs.ours, requestsForOthers), 'requests'), 0),
    atMost(
      plain(
        `writes of a binding when all ${sets} sets changed, of ${clusters} clusters the one with most`,
        worst(runs.ours, (run) => mostBindingWrites(run.phases['all sets changed'])),
        'writes',
      ),
      1,
    ),
    atMost(
      plain(
        'one key changed: requests to the management server for each binding',
        worst(runs.ours, (run) => run.phases['one key changed'].management.length / clusters),
        'requests',
      ),
      1,
    ),
  ];
}

function phaseFigures(runs: Runs, phase: Phase): Figure[] {
  const of = (pick: (measured: Measured) => number) => (run: Run) => pick(run.phases[phase]);
  return [
    beside(runs, { name: `${phase}: time`, unit: 'ms', of: of(({ ms }) => ms), goal: TIME_GOAL }),
    beside(runs, { name: `${phase}: CPU of the manager`, unit: 'ms', of: of(({ cpuSeconds }) => cpuSeconds * 1_000) }),
    beside(runs, {
      name: `${phase}: requests to the management server`,
      unit: 'requests',
      of: of(({ management }) => management.length),
    }),
    beside(runs, {
      name: `${phase}: requests to workload servers`,
      unit: 'requests',
      of: of(({ workload }) => workload.length),
    }),
    beside(runs, {
      name: `${phase}: 409s of the management server`,
      unit: 'answers',
      of: of(({ management }) => management.filter(isConflict).length),
    }),
    beside(runs, {
      name: `${phase}: 409s of workload servers`,
      unit: 'answers',
      of: of(({ workload }) => workload.filter(isConflict).length),
    }),
  ];
}

interface Compared {
  readonly name: string;
  readonly unit: string;
  readonly of: (run: Run) => number;
  readonly goal?: number;
}

/** Compares medians. Gives ours alone where there is no reference, or where it is zero. */
function beside({ ours, upstream }: Runs, { name, unit, of, goal }: Compared): Figure {
  const value = middle(ours, of);
  const reference = middle(upstream, of);
  if (Number.isNaN(reference)) return plain(name, value, unit);
  if (reference === 0) return { ...plain(name, value, unit), reference };
  return cost({ name, unit, value, reference, ...(goal !== undefined && { goal }) });
}

function atMost(figure: Figure, goal: number): Figure {
  return { ...figure, goal, met: figure.value <= goal };
}

function middle(runs: readonly Run[], of: (run: Run) => number): number {
  return percentile(runs.map(of), 0.5);
}

function worst(runs: readonly Run[], of: (run: Run) => number): number {
  return Math.max(...runs.map(of));
}

function isConflict({ responseStatus }: AuditedRequest): boolean {
  return responseStatus?.code === 409;
}

/** While one set changed, twice: requests about other sets or their ConfigMaps, or about all of them, on any server. */
function requestsForOthers({ phases }: Run): number {
  const asked = [phases['one key changed'], phases['same set again at once']].flatMap((it) => [
    ...it.management,
    ...it.workload,
  ]);
  const isAbout = ['clusterresourcesets', 'configmaps'];
  return asked.filter(({ objectRef: { resource = '', name } = {} }) => isAbout.includes(resource) && name !== 'set-0')
    .length;
}

function mostBindingWrites({ management }: Measured): number {
  const writes = management.filter(
    ({ verb, objectRef }) => objectRef?.resource === 'clusterresourcesetbindings' && !['get', 'list'].includes(verb),
  );
  const byName = Map.groupBy(writes, ({ objectRef }) => objectRef?.name ?? '');
  return Math.max(0, ...[...byName.values()].map((group) => group.length));
}
