import type { Workflow, WorkflowClient } from '#kit/durable';
import { inPieces, Notifier, sleep as realSleep, type Sleep } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { NEWS } from './workflows/deployment-pipeline.ts';

/** How often to look without a notification. */
const LOOK_MS = 30_000;
const TROUBLE_MS = 1_000;
/** How many workflows are notified at once. */
const AT_ONCE = 50;

type RunInput = { readonly [field: string]: string | number };

/** A table with the columns `run`, `runs`, `news` and `heard`, and the workflow of a row while its `run` is set. */
export interface RunSource<Input extends RunInput> {
  /** For people. */
  readonly name: string;
  /** Announced when a row has unseen news. */
  readonly topic: string;
  readonly table: string;
  readonly key: string;
  readonly workflow: Workflow<Input, undefined>;
  /** Workflow ids must not contain a slash. */
  start(key: string, run: number): { readonly id: string; readonly input: Input };
}

export interface RunStarterDeps {
  readonly storage: Storage;
  readonly client: Pick<WorkflowClient, 'signalWithStart'>;
  readonly sleep?: Sleep;
  /** Called with errors, which are retried; must not throw. */
  readonly onTrouble?: (error: unknown) => void;
}

interface Woken {
  readonly key: string;
  readonly run: number;
  readonly news: number;
  readonly heard: number;
}

/**
 * Notifies workflows: finds rows with unseen news, starts the workflows that are not running, and signals the others. It
 * goes by the database, so that nothing is lost with a process.
 */
export function runStarter<Input extends RunInput>(source: RunSource<Input>, deps: RunStarterDeps) {
  const { storage, sleep = realSleep, onTrouble = () => {} } = deps;
  return {
    name: source.name,
    async run(signal: AbortSignal): Promise<void> {
      const wake = new Notifier(sleep);
      const notified = new Map<string, number>();
      const stop = storage.onAnnounced(source.topic, () => wake.notify());
      let forgetAt = 0;
      try {
        while (!signal.aborted) {
          // A signal whose news is still unseen after this time may have been lost.
          if (performance.now() >= forgetAt) {
            notified.clear();
            forgetAt = performance.now() + LOOK_MS;
          }
          const isFine = await look(source, { ...deps, notified }, signal).then(
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
  deps: RunStarterDeps & { readonly notified: Map<string, number> },
  signal: AbortSignal,
): Promise<void> {
  const { notified } = deps;
  const woken = await wokenOf(source, deps.storage, signal);
  const unheard = new Set(woken.map(idOf));
  for (const id of notified.keys()) if (!unheard.has(id)) notified.delete(id);
  // A workflow that was signalled and has not looked yet will see all later news as well.
  const due = woken.filter((each) => (notified.get(idOf(each)) ?? 0) <= each.heard);
  for (const some of inPieces(due, AT_ONCE)) {
    await Promise.all(
      some.map(async (each) => {
        await notify(source, { ...deps, woken: each }, signal);
        notified.set(idOf(each), each.news);
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

async function notify<Input extends RunInput>(
  source: RunSource<Input>,
  { client, storage, woken }: RunStarterDeps & { readonly woken: Woken },
  signal: AbortSignal,
): Promise<void> {
  const message = { name: NEWS, payload: null };
  const { id, input } = source.start(woken.key, woken.run);
  if ((await client.signalWithStart(source.workflow, { id, input, message }, signal)) === 'sent') return;
  // The workflow was cancelled or failed: a new run takes over.
  const [table, column] = [sql.raw(source.table), sql.raw(source.key)];
  const isIt = sql`${column} = ${woken.key} AND run = ${woken.run}`;
  const next = sql`UPDATE ${table} SET runs = runs + 1, run = runs + 1 WHERE ${isIt}`;
  await storage.commit([sql.announce(source.topic, next)], signal);
}
