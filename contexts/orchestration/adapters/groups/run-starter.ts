import { DurableError, type Workflow, type WorkflowClient } from '#kit/durable';
import type { Runnable } from '#kit/reconcile';
import { sleep as realSleep, type Sleep, Wake } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import { NEWS } from '../workflows/deployment-pipeline.ts';

/** How long something may lie there when its announcement got lost. */
const EVERY_MS = 30_000;
const RETRY_MS = 1_000;
/** Started at once. */
const WIDTH = 50;

/** A table with `run`, `runs`, `news` and `heard`, and the workflow that each row has while `run` is set. */
export interface RunSource<Input extends { readonly [field: string]: string | number }> {
  readonly name: string;
  /** Announced when there is news. */
  readonly topic: string;
  readonly table: string;
  readonly key: string;
  readonly workflow: Workflow<Input, undefined>;
  start(key: string, run: number): { readonly id: string; readonly input: Input };
}

export interface RunStarterDeps {
  readonly storage: Storage;
  readonly client: Pick<WorkflowClient, 'start' | 'signal'>;
  readonly log: Logger;
  readonly sleep?: Sleep;
}

interface Woken {
  readonly key: string;
  readonly run: number;
  readonly news: number;
  readonly heard: number;
}

/**
 * Starts the workflows of those that were woken, and tells those that run that there is news. It goes by what is in the
 * table, so that whatever was missed is done the next time; every process has one, and all may do the same.
 */
export function runStarter<Input extends { readonly [field: string]: string | number }>(
  source: RunSource<Input>,
  deps: RunStarterDeps,
): Runnable {
  const { storage, log, sleep = realSleep } = deps;
  const round = startRound(source, deps);
  return {
    name: source.name,
    run: async (signal) => {
      const wake = new Wake(sleep);
      const stopListening = storage.onAnnounced(source.topic, () => wake.raise());
      try {
        while (!signal.aborted) {
          const isDone = await round(signal).then(
            () => true,
            (err: unknown) => {
              if (!signal.aborted) log.warn({ err, retryInMs: RETRY_MS }, 'runs were not started; will try again');
              return false;
            },
          );
          await (isDone ? wake.wait(EVERY_MS, signal) : sleep(RETRY_MS, signal)).catch(() => {});
        }
      } finally {
        stopListening();
      }
    },
  };
}

function startRound<Input extends { readonly [field: string]: string | number }>(
  source: RunSource<Input>,
  deps: RunStarterDeps,
): (signal: AbortSignal) => Promise<void> {
  /** What each was last told of; until it has heard that, it need not be told of more. */
  const told = new Map<string, number>();
  return async (signal) => {
    const woken = await wokenOf(source, deps.storage, signal);
    const keys = new Set(woken.map(({ key }) => key));
    for (const key of told.keys()) if (!keys.has(key)) told.delete(key);
    const due = woken.filter(({ key, heard }) => (told.get(key) ?? 0) <= heard);
    for (let start = 0; start < due.length; start += WIDTH) {
      const some = due.slice(start, start + WIDTH);
      const ended = await Promise.allSettled(some.map((each) => tell(source, each, { ...deps, signal })));
      for (const [index, { key, news }] of some.entries())
        if (ended[index]?.status === 'fulfilled') told.set(key, news);
      const failures = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
      if (failures.length > 0) throw new AggregateError(failures, `start ${source.name}`);
    }
  };
}

async function wokenOf(
  { table, key }: Pick<RunSource<never>, 'table' | 'key'>,
  storage: Storage,
  signal: AbortSignal,
): Promise<readonly Woken[]> {
  const rows = await storage.all(
    sql`SELECT ${sql.raw(key)} AS subject, run, news, heard FROM ${sql.raw(table)} WHERE run IS NOT NULL AND news > heard`,
    signal,
  );
  return rows.map((row) => ({
    key: String(row['subject']),
    run: Number(row['run']),
    news: Number(row['news']),
    heard: Number(row['heard']),
  }));
}

async function tell<Input extends { readonly [field: string]: string | number }>(
  source: RunSource<Input>,
  { key, run, news }: Woken,
  { storage, client, signal }: RunStarterDeps & { readonly signal: AbortSignal },
): Promise<void> {
  const { id, input } = source.start(key, run);
  await client.start(source.workflow, { id, input }, signal);
  try {
    await client.signal(id, { name: NEWS, payload: null, signalId: `news-${news}` }, signal);
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== 'WORKFLOW_ENDED') throw error;
    // It rested meanwhile, and its row says so; or it ended in a way that it should not, and another run takes over.
    const [table, column] = [sql.raw(source.table), sql.raw(source.key)];
    const next = sql`UPDATE ${table} SET runs = runs + 1, run = runs + 1 WHERE ${column} = ${key} AND run = ${run}`;
    await storage.commit([sql.announce(source.topic, next)], signal);
  }
}
