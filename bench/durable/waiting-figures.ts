import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ActivityImplementation, implementActivity } from '#kit/durable';
import { type Statement, type Storage, sql } from '#kit/storage';
import { type BenchContext, type Figure, plain } from '../figure.ts';
import { asleep, nothing, stepByStep } from './bench-workflows.ts';
import { doNothing, runUntil, type Start, startAll } from './engine-run.ts';

/** Does its first step, and stays in its second for ever. */
const hangs = implementActivity(nothing, (step) =>
  step === 0 ? Promise.resolve(step) : new Promise<number>(() => {}),
);

/**
 * How long an engine takes to be back where it was: all of these workflows have done a step, and are in the middle of the
 * next, so that each is read and replayed.
 */
export async function resumeFigure(storage: Storage, context: BenchContext): Promise<Figure> {
  const count = context.quick ? 1_000 : 10_000;
  const start = { workflow: stepByStep, ids: ids('open', count), input: { steps: 3 } };
  const oneStepDone = { rows: sql`SELECT count(*) AS rows FROM durable_history`, count };
  await whileRunning({ storage, activity: hangs, context }, async () => {
    await startAll(storage, start, context.signal);
    await untilRows(storage, oneStepDone, context);
  });
  const took = await runUntil({ storage, isDone: ({ kind }) => kind === 'recovered', activity: hangs }, context.signal);
  context.log(`${storage.engine}: ${count} open workflows are back after ${Math.round(took)} ms`);
  return plain(`${storage.engine}: resume with ${count} open workflows`, took, 'ms');
}

/** What the process holds while workflows sleep, over what it held before there were any. */
export async function memoryFigures(storage: Storage, context: BenchContext): Promise<Figure[]> {
  const count = context.quick ? 5_000 : 100_000;
  const start: Start = { workflow: asleep, ids: ids('asleep', count), input: null };
  const allAsleep = { rows: sql`SELECT count(*) AS rows FROM durable_timers`, count };
  const before = heapAfterCollection();
  let [heap, rate] = [0, 0];
  await whileRunning({ storage, activity: doNothing, context }, async () => {
    const begun = performance.now();
    await startAll(storage, start, context.signal);
    await untilRows(storage, allAsleep, context);
    rate = count / ((performance.now() - begun) / 1_000);
    heap = (heapAfterCollection() - before) / 2 ** 20;
  });
  const what = `${storage.engine}: ${count} workflows asleep`;
  context.log(`${what}: ${heap.toFixed(1)} MiB of heap`);
  return [plain(`${what}: heap`, heap, 'MiB'), plain(`${what}: put to sleep`, rate, 'workflows/s')];
}

interface Running {
  readonly storage: Storage;
  readonly activity: ActivityImplementation;
  readonly context: BenchContext;
}

/** With an engine that is stopped afterwards. */
async function whileRunning({ storage, activity, context }: Running, body: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const running = runUntil({ storage, isDone: () => false, activity }, AbortSignal.any([context.signal, stop.signal]));
  try {
    await body();
  } finally {
    stop.abort();
    await running.catch(() => {});
  }
}

interface Rows {
  /** Gives their number as `rows`. */
  readonly rows: Statement;
  readonly count: number;
}

async function untilRows(storage: Storage, { rows, count }: Rows, { signal }: BenchContext): Promise<void> {
  while (Number((await storage.get(rows, signal))?.['rows']) < count) await delay(50, undefined, { signal });
}

function ids(what: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${what}-${index}`);
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
