import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { implementActivity } from '#kit/durable';
import { type Storage, sql } from '#kit/storage';
import type { TestDatabase } from '#testing/databases';
import { type BenchContext, type Figure, plain } from '../figure.ts';
import type { Asleep, AsleepOrders } from './asleep-process.ts';
import { nothing, stepByStep } from './bench-workflows.ts';
import { runUntil, startAll, untilRows, whileRunning } from './engine-run.ts';

const ASLEEP_PROCESS = new URL('./asleep-process.ts', import.meta.url);

/** Completes its first step, and stays in its second indefinitely. */
const hangs = implementActivity(nothing, (step) =>
  step === 0 ? Promise.resolve(step) : new Promise<number>(() => {}),
);

/**
 * The time an engine takes to resume: all of these workflows have completed a step and are in the middle of the next, so
 * each is loaded and replayed.
 */
export async function resumeFigure(storage: Storage, context: BenchContext): Promise<Figure> {
  const count = context.quick ? 1_000 : 10_000;
  const ids = Array.from({ length: count }, (_, index) => `open-${index}`);
  const oneStepDone = { rows: sql`SELECT count(*) AS rows FROM durable_history`, count };
  await whileRunning({ storage, activity: hangs, signal: context.signal }, async () => {
    await startAll(storage, { workflow: stepByStep, ids, input: { steps: 3 } }, context.signal);
    await untilRows(storage, oneStepDone, context.signal);
  });
  const took = await runUntil({ storage, isDone: ({ kind }) => kind === 'recovered', activity: hangs }, context.signal);
  context.log(`${storage.engine}: ${count} open workflows are back after ${Math.round(took)} ms`);
  return plain(`${storage.engine}: resume with ${count} open workflows`, took, 'ms');
}

/** The memory of a process with sleeping workflows, minus its memory before there were any. */
export async function memoryFigures(database: TestDatabase, context: BenchContext): Promise<Figure[]> {
  const count = context.quick ? 5_000 : 100_000;
  const place = database.engine === 'sqlite' ? { file: database.file } : { url: database.url };
  const orders = JSON.stringify({ place, count } satisfies AsleepOrders);
  const program = ['--expose-gc', ASLEEP_PROCESS.pathname, orders];
  const { stdout } = await promisify(execFile)(process.execPath, program, { signal: context.signal });
  const { heapBytes, residentBytes, perSecond } = JSON.parse(stdout) as Asleep;
  const what = `${database.engine}: ${count} workflows asleep`;
  context.log(`${what}: ${(heapBytes / 2 ** 20).toFixed(1)} MiB of heap`);
  return [
    plain(`${what}: heap`, heapBytes / 2 ** 20, 'MiB'),
    plain(`${what}: resident set`, residentBytes / 2 ** 20, 'MiB'),
    plain(`${what}: put to sleep`, perSecond, 'workflows/s'),
  ];
}
