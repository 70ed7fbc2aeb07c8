import { DurableError, type WorkflowClient } from '#kit/durable';
import { sleep as realSleep, type Sleep, Wake } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { PIPELINE_WOKEN } from '../sql-deployment-store.ts';
import { deploymentPipeline, NEWS } from '../workflows/deployment-pipeline.ts';

export interface PipelineStarterDeps {
  readonly storage: Storage;
  readonly client: Pick<WorkflowClient, 'start' | 'signal'>;
  readonly sleep?: Sleep;
  /** Told of what went wrong, which is tried again; must not throw. */
  readonly onTrouble?: (error: unknown) => void;
}

/** How often it looks without having been told. */
const LOOK_MS = 30_000;
const TROUBLE_MS = 1_000;
/** Pipelines that are told at once. */
const AT_ONCE = 50;

interface Woken {
  /** Of the workflow. */
  readonly id: string;
  readonly uid: string;
  readonly run: number;
  readonly news: number;
  readonly heard: number;
}

/**
 * Brings word to the pipelines of deployments: looks at which have something that they have not heard, begins those that
 * are not under way, and tells the others. It goes by what is in the database, so that nothing gets lost with a process.
 */
export function pipelineStarter(deps: PipelineStarterDeps) {
  const { storage, sleep = realSleep, onTrouble = () => {} } = deps;
  return {
    name: 'deployment pipelines',
    async run(signal: AbortSignal): Promise<void> {
      const wake = new Wake(sleep);
      const told = new Map<string, number>();
      const stop = storage.onAnnounced(PIPELINE_WOKEN, () => wake.raise());
      let forgetAt = 0;
      try {
        while (!signal.aborted) {
          // What was told and is not heard after so long may have got lost.
          if (performance.now() >= forgetAt) {
            told.clear();
            forgetAt = performance.now() + LOOK_MS;
          }
          const isFine = await look(deps, told, signal).then(
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

async function look(deps: PipelineStarterDeps, told: Map<string, number>, signal: AbortSignal): Promise<void> {
  const rows = await deps.storage.all(
    sql`SELECT uid, run, news, heard FROM deployments WHERE run IS NOT NULL AND news > heard`,
    signal,
  );
  const woken = rows.map(
    (row): Woken => ({
      id: workflowId(String(row['uid']), Number(row['run'])),
      uid: String(row['uid']),
      run: Number(row['run']),
      news: Number(row['news']),
      heard: Number(row['heard']),
    }),
  );
  const unheard = new Set(woken.map(({ id }) => id));
  for (const id of told.keys()) if (!unheard.has(id)) told.delete(id);
  // One that was told of something that it has not heard yet hears of all the rest with it.
  const due = woken.filter(({ id, heard }) => (told.get(id) ?? 0) <= heard);
  for (let start = 0; start < due.length; start += AT_ONCE) {
    await Promise.all(
      due.slice(start, start + AT_ONCE).map(async (each) => {
        await tell(deps, each, signal);
        told.set(each.id, each.news);
      }),
    );
  }
}

async function tell({ client, storage }: PipelineStarterDeps, { id, uid, run }: Woken, signal: AbortSignal): Promise<void> {
  try {
    await client.signal(id, { name: NEWS, payload: null }, signal);
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    if (error.code === 'WORKFLOW_NOT_FOUND') {
      await client.start(deploymentPipeline, { id, input: { deployment: uid, run } }, signal);
    } else if (error.code === 'WORKFLOW_ENDED') {
      // Somebody cancelled it, or it failed: what is left to do is begun anew.
      const next = sql`UPDATE deployments SET runs = runs + 1, run = runs + 1 WHERE uid = ${uid} AND run = ${run}`;
      await storage.commit([sql.announce(PIPELINE_WOKEN, next)], signal);
    } else throw error;
  }
}

/** Ids of workflows have no slash in them. */
function workflowId(uid: string, run: number): string {
  return `deployments.${uid}.${run}`;
}
