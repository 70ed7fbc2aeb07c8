import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { TestDatabase } from '#testing/databases';
import { type BenchContext, type Figure, plain, rate } from '../figure.ts';
import { interleaved } from '../statistics.ts';
import { fanned, stepByStep } from './bench-workflows.ts';
import { ended, runUntil, type Start, startAll } from './engine-run.ts';
import type { MirroredJournal } from './mirrored-journal.ts';
import { StepClock } from './step-clock.ts';

/** "At 50: over half of raw." */
const GOALS: Readonly<Record<number, number>> = { 50: 2 };
/** Concurrent workflows, and the steps of each in a quick run. */
const STEPS = [
  [1, 60],
  [50, 200],
  [1_000, 4],
] as const;
const FAN_OUT_CONCURRENCY = 100;

let nextRun = 1;

/** Measures this many concurrent workflows, each going from step to step. */
export async function stepFigures(journal: MirroredJournal, context: BenchContext): Promise<Figure[]> {
  const { engine } = journal.database;
  const figures: Figure[] = [];
  for (const [width, quickSteps] of STEPS) {
    const steps = (context.quick ? 1 : 5) * quickSteps;
    const start = (): Start => ({ workflow: stepByStep, ids: freshIds(width), input: { steps } });
    const goal = GOALS[width];
    const name = `${engine}: steps, ${width} workflows at once`;
    figures.push(await besideRaw(journal, { name, unit: 'steps/s', start, steps: steps * width, goal }, context));
    figures.push(...(await stepLatencies(journal, { name, width, steps }, context)));
  }
  return figures;
}

/** Apart from the rates, so that the clock costs them nothing. */
async function stepLatencies(
  { storage, catchUp }: Pick<MirroredJournal, 'storage' | 'catchUp'>,
  { name, width, steps }: { readonly name: string; readonly width: number; readonly steps: number },
  context: BenchContext,
): Promise<Figure[]> {
  const clock = new StepClock();
  for (const [index, id] of freshIds(width).entries()) {
    const input = { steps, from: StepClock.from(index) };
    await startAll(storage, { workflow: stepByStep, ids: [id], input }, context.signal);
  }
  await runUntil({ storage, isDone: ended(width), activity: clock.activity }, context.signal);
  await catchUp();
  return clock.figures(name);
}

export async function fanOutFigure(journal: MirroredJournal, context: BenchContext): Promise<Figure> {
  const keys = context.quick ? 2_000 : 5_000;
  const input = { keys, concurrency: FAN_OUT_CONCURRENCY };
  const start = (): Start => ({ workflow: fanned, ids: freshIds(1), input });
  const name = `${journal.database.engine}: one workflow fans out to ${keys} keys, ${FAN_OUT_CONCURRENCY} at once`;
  return await besideRaw(journal, { name, unit: 'keys/s', start, steps: keys, goal: undefined }, context);
}

/** The growth of the database per step of ended workflows, indexes included. */
export async function bytesPerStep(journal: MirroredJournal, context: BenchContext): Promise<Figure> {
  const [workflows, steps] = [50, context.quick ? 40 : 200];
  const start = { workflow: stepByStep, ids: freshIds(workflows), input: { steps } };
  const before = await sizeOf(journal.database);
  await startAll(journal.storage, start, context.signal);
  await runUntil({ storage: journal.storage, isDone: ended(workflows) }, context.signal);
  await journal.catchUp();
  const bytes = (await sizeOf(journal.database)) - before;
  return plain(`${journal.database.engine}: database size for each step`, bytes / (workflows * steps), 'bytes');
}

interface Measured {
  readonly name: string;
  readonly unit: string;
  readonly start: () => Start;
  readonly steps: number;
  readonly goal: number | undefined;
}

async function besideRaw(journal: MirroredJournal, measured: Measured, context: BenchContext): Promise<Figure> {
  const { name, unit, start, steps, goal } = measured;
  const perSecond = (ms: number): number => steps / (ms / 1_000);
  const ours = async (): Promise<number> => {
    const started = start();
    await startAll(journal.storage, started, context.signal);
    await journal.catchUp();
    const { storage } = journal;
    return perSecond(await runUntil({ storage, isDone: ended(started.ids.length) }, context.signal));
  };
  const raw = async (): Promise<number> => perSecond(await journal.catchUp());
  // Where there is a goal, one slow moment of the machine must not decide.
  const quickRounds = goal === undefined ? 1 : 3;
  const rounds = context.quick ? quickRounds : 5;
  // The first round warms up both sides.
  await ours();
  await raw();
  const { ours: value, theirs: reference } = await interleaved(rounds, ours, raw);
  context.log(`${name}: ${Math.round(value)}/s, raw ${Math.round(reference)}/s`);
  return rate({ name, unit, value, reference, ...(goal !== undefined && { goal }) });
}

function freshIds(count: number): string[] {
  const run = nextRun++;
  return Array.from({ length: count }, (_, index) => `run-${run}-${index}`);
}

async function sizeOf(database: TestDatabase): Promise<number> {
  if (database.engine === 'postgres') {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size');
      return Number(rows[0]?.size);
    } finally {
      await client.end();
    }
  }
  const file = new DatabaseSync(database.file);
  try {
    const { size } = file
      .prepare('SELECT page_count * page_size AS size FROM pragma_page_count(), pragma_page_size()')
      .get() as { size: number };
    return size;
  } finally {
    file.close();
  }
}
