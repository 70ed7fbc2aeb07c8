import type { Orders, Outcome, Task } from './orders.ts';

/** One of the compared clients: the same few lines in each. */
export interface KubeSubject {
  /** One small request, so that the memory needed for a first request is already allocated. */
  touch(namespace: string): Promise<unknown>;
  /** Returns the number of objects, read page by page. */
  list(namespace: string): Promise<number>;
  /** Resolves after `count` additions. */
  watch(namespace: string, since: string, count: number): Promise<void>;
  apply(namespace: string, index: number, turn: string): Promise<void>;
  /** Resolves once the cache holds `count` objects, and keeps the cache. */
  cache(namespace: string, count: number): Promise<void>;
}

/** The main function of a program: executes the orders in its argument, and prints the outcome. */
export async function runProgram(open: (kubeconfig: string) => Promise<KubeSubject>): Promise<void> {
  const { kubeconfig, namespace, task } = JSON.parse(process.argv[2] ?? '') as Orders;
  const subject = await open(kubeconfig);
  const outcome = await carryOut(subject, namespace, task);
  process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit(0));
}

async function carryOut(subject: KubeSubject, namespace: string, task: Task): Promise<Outcome> {
  if (task.kind === 'cache') return await measureCache(subject, namespace, task.count);
  const rates: number[] = [];
  const latencies: number[] = [];
  for (let round = 0; round <= task.rounds; round++) {
    // The warm-up does not count.
    latencies.length = round === 1 ? 0 : latencies.length;
    const begun = performance.now();
    const done = await once(subject, namespace, { ...task, round, latencies });
    rates.push(done / ((performance.now() - begun) / 1_000));
  }
  return { rates: rates.slice(1), latencies, heapBytes: 0, residentBytes: process.memoryUsage.rss() };
}

type Round = Exclude<Task, { kind: 'cache' }> & { readonly round: number; readonly latencies: number[] };

/** Returns the number of operations. */
async function once(subject: KubeSubject, namespace: string, task: Round): Promise<number> {
  if (task.kind === 'apply') return await applyFor(subject, namespace, task);
  if (task.kind === 'watch') {
    await subject.watch(namespace, task.since, task.count);
    return task.count;
  }
  const listed = await subject.list(namespace);
  if (listed !== task.count) throw new Error(`listed ${listed} of ${task.count}`);
  return listed;
}

async function applyFor(
  subject: KubeSubject,
  namespace: string,
  { seconds, width, round, latencies }: Round & { readonly kind: 'apply' },
): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < until) {
      const index = next++;
      const begun = performance.now();
      await subject.apply(namespace, index, `${process.pid}-${round}-${index}`);
      latencies.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return next;
}

async function measureCache(subject: KubeSubject, namespace: string, count: number): Promise<Outcome> {
  await subject.touch(namespace);
  const before = heapAfterCollection();
  await subject.cache(namespace, count);
  const heapBytes = heapAfterCollection() - before;
  return { rates: [], latencies: [], heapBytes, residentBytes: process.memoryUsage.rss() };
}

function heapAfterCollection(): number {
  if (globalThis.gc === undefined) throw new Error('start it with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
