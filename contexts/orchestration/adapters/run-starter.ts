import { DurableError, type Workflow, type WorkflowClient } from '#kit/durable';
import { sleep as realSleep, type Sleep, Wake } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { NEWS } from './workflows/deployment-pipeline.ts';

/** How often it looks without having been told. */
const LOOK_MS = 30_000;
const TROUBLE_MS = 1_000;
/** Workflows that are told at once. */
const AT_ONCE = 50;

type RunInput = { readonly [field: string]: string | number };

/** A table with `run`, `runs`, `news` and `heard`, and the workflow that a row has while its `run` is set. */
export interface RunSource<Input extends RunInput> {
  /** For people. */
  readonly name: string;
  /** Announced when there is something that has not been heard. */
  readonly topic: string;
  readonly table: string;
  readonly key: string;
  readonly workflow: Workflow<Input, undefined>;
  /** Ids of workflows have no slash in them. */
  start(key: string, run: number): { readonly id: string; readonly input: Input };
}

export interface RunStarterDeps {
  readonly storage: Storage;
  readonly client: Pick<WorkflowClient, 'start' | 'signal'>;
  readonly sleep?: Sleep;
  /** Told of what went wrong, which is tried again; must not throw. */
  readonly onTrouble?: (error: unknown) => void;
}

interface Woken {
  readonly key: string;
  readonly run: number;
  readonly news: number;
  readonly heard: number;
}

/**
 * Brings word to workflows: looks at which have something that they have not heard, begins those that are not under way,
 * and tells the others. It goes by what is in the database, so that nothing gets lost with a process.
 */
export function runStarter<Input extends RunInput>(source: RunSource<Input>, deps: RunStarterDeps) {
  const { storage, sleep = realSleep, onTrouble = () => {} } = deps;
  return {
    name: source.name,
    async run(signal: AbortSignal): Promise<void> {
      const wake = new Wake(sleep);
      const told = new Map<string, number>();
      const stop = storage.onAnnounced(source.topic, () => wake.raise());
      let forgetAt = 0;
      try {
        while (!signal.aborted) {
          // What was told and is not heard after so long may have got lost.
          if (performance.now() >= forgetAt) {
            told.clear();
            forgetAt = performance.now() + LOOK_MS;
          }
          const isFine = await look(source, { ...deps, told }, signal).then(
            () => true,
            (error: unknown) => {
              if (!signal.aborted) onTrouble(error);
              return false;
            },
          );
          await wake.wait(isFine ? LOOK_MS : TROUBLE_MS, signal).catch(() => {});
        }
      } finally {
        stop();
      }
    },
  };
}

async function look<Input extends RunInput>(
  source: RunSource<Input>,
  deps: RunStarterDeps & { readonly told: Map<string, number> },
  signal: AbortSignal,
): Promise<void> {
  const { told } = deps;
  const woken = await wokenOf(source, deps.storage, signal);
  const unheard = new Set(woken.map(idOf));
  for (const id of told.keys()) if (!unheard.has(id)) told.delete(id);
  // One that was told of something that it has not heard yet hears of all the rest with it.
  const due = woken.filter((each) => (told.get(idOf(each)) ?? 0) <= each.heard);
  for (let start = 0; start < due.length; start += AT_ONCE) {
    await Promise.all(
      due.slice(start, start + AT_ONCE).map(async (each) => {
        await tell(source, { ...deps, woken: each }, signal);
        told.set(idOf(each), each.news);
      }),
    );
  }

  function idOf({ key, run }: Woken): string {
    return source.start(key, run).id;
  }
}

async function wokenOf(
  { table, key }: { readonly table: string; readonly key: string },
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

async function tell<Input extends RunInput>(
  source: RunSource<Input>,
  { client, storage, woken }: RunStarterDeps & { readonly woken: Woken },
  signal: AbortSignal,
): Promise<void> {
  const { id, input } = source.start(woken.key, woken.run);
  try {
    await client.signal(id, { name: NEWS, payload: null }, signal);
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    if (error.code === 'WORKFLOW_NOT_FOUND') {
      await client.start(source.workflow, { id, input }, signal);
    } else if (error.code === 'WORKFLOW_ENDED') {
      // Somebody cancelled it, or it failed: what is left to do is begun anew.
      const [table, column] = [sql.raw(source.table), sql.raw(source.key)];
      const isIt = sql`${column} = ${woken.key} AND run = ${woken.run}`;
      const next = sql`UPDATE ${table} SET runs = runs + 1, run = runs + 1 WHERE ${isIt}`;
      await storage.commit([sql.announce(source.topic, next)], signal);
    } else throw error;
  }
}
