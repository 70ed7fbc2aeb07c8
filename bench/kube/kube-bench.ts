import { createKubeClient, parseKubeConfig } from '#kit/kube';
import { clustersUnavailable, ownCluster, type TestCluster } from '#testing/clusters';
import { type Bench, type BenchContext, cost, type Figure, plain, rate } from '../figure.ts';
import { percentile } from '../statistics.ts';
import type { Task } from './orders.ts';
import { findPrograms, type Program } from './programs.ts';
import { seedObjects } from './seed-objects.ts';

/** At least 0.8 of client-go's rate, expressed as a ratio of times. */
const REQUESTS_GOAL = 1.25;
const MEMORY_GOAL = 2;

interface Measured {
  readonly cluster: TestCluster;
  readonly programs: readonly Program[];
  readonly context: BenchContext;
}

type Values = Readonly<Partial<Record<Program['name'], number>>>;
type Latencies = Partial<Record<Program['name'], readonly number[]>>;

export const kubeBench: Bench = {
  name: 'kube',
  description:
    'lists, watches, applies and caches on one real API server, compared with client-go and @kubernetes/client-node',
  run: async (context) => {
    const unavailable = await clustersUnavailable();
    if (unavailable !== undefined) return [];
    const programs = await findPrograms(context);
    const cleanups: (() => Promise<void> | void)[] = [];
    try {
      const cleaner = { after: (body: () => Promise<void> | void) => void cleanups.push(body) };
      const cluster = await ownCluster(cleaner, { size: 'apiserver', name: 'bench' }, context.signal);
      return await measure({ cluster, programs, context });
    } finally {
      for (const clean of cleanups.toReversed()) await clean();
    }
  },
};

/** Watches first: the server keeps the events of the seed for only about a minute. */
async function measure(measured: Measured): Promise<Figure[]> {
  const { cluster, context } = measured;
  const count = context.quick ? 2_000 : 10_000;
  const namespace = await cluster.namespace({ after: () => {} }, 'seeded');
  const since = await seed(cluster, { namespace, count }, context);
  const rounds = context.quick ? 1 : 3;
  const apply = { kind: 'apply', seconds: context.quick ? 0.5 : 3, rounds } as const;
  const tasks: readonly (readonly [name: string, unit: string, task: Exclude<Task, { kind: 'cache' }>])[] = [
    [`watch: ${count} events`, 'events/s', { kind: 'watch', since, count, rounds }],
    [`list: ${count} objects`, 'objects/s', { kind: 'list', count, rounds }],
    ['server-side apply, one at a time', 'applies/s', { ...apply, width: 1 }],
    ['server-side apply, 16 at once', 'applies/s', { ...apply, width: 16 }],
  ];
  const figures: Figure[] = [];
  for (const [name, unit, task] of tasks) {
    const { values, latencies } = await rates(measured, namespace, task);
    figures.push(...beside({ name, unit, values, context, compare: rate, goal: REQUESTS_GOAL }));
    if (task.kind !== 'apply') continue;
    for (const share of [0.5, 0.99]) {
      const each = Object.entries(latencies).map(([who, all]) => [who, percentile(all, share)]);
      const compared = { name: `${name}: p${share * 100}`, unit: 'ms', values: Object.fromEntries(each) as Values };
      figures.push(...beside({ ...compared, context, compare: cost }));
    }
  }
  return [...figures, ...(await cacheFigures(measured, namespace, count))];
}

async function seed(
  cluster: TestCluster,
  what: { readonly namespace: string; readonly count: number },
  context: BenchContext,
): Promise<string> {
  const client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
  const begun = performance.now();
  try {
    return await seedObjects(client, what, context.signal);
  } finally {
    context.log(`seeded ${what.count} ConfigMaps in ${Math.round(performance.now() - begun)} ms`);
    await client.close();
  }
}

/**
 * Alternates the programs, so that a slow moment of the machine affects all. Returns the median of all rounds, and the latencies
 * of all applies.
 */
async function rates(
  { cluster, programs, context }: Measured,
  namespace: string,
  task: Exclude<Task, { kind: 'cache' }>,
): Promise<{ readonly values: Values; readonly latencies: Latencies }> {
  const all: Latencies = {};
  const latencies: Latencies = {};
  for (let turn = 0; turn < (context.quick ? 1 : 3); turn++) {
    for (const { name, run } of programs) {
      const target = task.kind === 'apply' ? await cluster.namespace({ after: () => {} }, 'applied') : namespace;
      const orders = { kubeconfig: cluster.kubeconfigFile(), namespace: target, task };
      const outcome = await run(orders, context.signal);
      all[name] = [...(all[name] ?? []), ...outcome.rates];
      latencies[name] = [...(latencies[name] ?? []), ...outcome.latencies];
    }
  }
  const values = Object.fromEntries(Object.entries(all).map(([name, rates]) => [name, percentile(rates, 0.5)]));
  return { values, latencies };
}

async function cacheFigures(
  { cluster, programs, context }: Measured,
  namespace: string,
  count: number,
): Promise<Figure[]> {
  const heap: Partial<Record<Program['name'], number>> = {};
  const figures: Figure[] = [];
  for (const { name, run } of programs) {
    const orders = { kubeconfig: cluster.kubeconfigFile(), namespace, task: { kind: 'cache', count } as const };
    const { heapBytes, residentBytes } = await run(orders, context.signal);
    heap[name] = heapBytes / count;
    figures.push(plain(`cache: resident set with ${count} objects, ${name}`, residentBytes / 2 ** 20, 'MiB'));
  }
  const name = 'cache: heap for each object';
  return [...beside({ name, unit: 'bytes', values: heap, context, compare: cost, goal: MEMORY_GOAL }), ...figures];
}

interface Beside {
  readonly name: string;
  readonly unit: string;
  readonly values: Values;
  readonly context: BenchContext;
  readonly compare: typeof rate;
  /** Of the figure beside client-go. */
  readonly goal?: number;
}

function beside({ name, unit, values, context, compare, goal }: Beside): Figure[] {
  const { ours: value = Number.NaN, 'client-go': go, 'client-node': node = Number.NaN } = values;
  const said = Object.entries(values).map(([who, it]) => `${who} ${it < 100 ? it.toFixed(2) : Math.round(it)}`);
  context.log(`${name}: ${said.join(', ')} ${unit}`);
  const figures = [compare({ name: `${name}, beside @kubernetes/client-node`, unit, value, reference: node })];
  if (go === undefined) return figures;
  const compared = { name: `${name}, beside client-go`, unit, value, reference: go };
  return [compare({ ...compared, ...(goal !== undefined && { goal }) }), ...figures];
}
