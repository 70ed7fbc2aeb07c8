import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Payload } from '#kit/durable';
import {
  type AnyWorkflow,
  type DurableEngine,
  DurableError,
  type Registry,
  type Workflow,
  type WorkflowClient,
} from '#kit/durable';
import { PATIENCE_MS } from '#testing/patience';
import { Boundaries } from './boundaries.ts';
import { killActivities } from './effects.ts';
import type { ExecutorCommand, ExecutorNews, ExecutorOrders, WorkflowOutcome } from './executor-protocol.ts';
import * as workflows from './kill-workflows.ts';

export interface ExecutorParts {
  readonly registry: Registry;
  readonly place: Payload;
  readonly boundaries: Boundaries;
  readonly tell: (news: ExecutorNews) => void;
}

/**
 * The life of a process that executes the workload: starts all of it again, which the engine must tolerate, forwards
 * signals, and prints the outcomes when everything has ended. Most lives do not get that far.
 */
export async function runExecutor(openEngine: (parts: ExecutorParts) => Promise<DurableEngine>): Promise<void> {
  const { workload, death, folder, place } = JSON.parse(process.argv[2] ?? '') as ExecutorOrders;
  const boundaries = new Boundaries(folder, death);
  const registry = { workflows: WORKFLOWS, activities: killActivities(folder, boundaries) };
  const engine = await openEngine({ registry, place, boundaries, tell });
  const { client } = engine;
  const life = AbortSignal.timeout(PATIENCE_MS);
  // Not awaited: the process ends with its last line in any case.
  engine.run(life).catch((error: unknown) => giveUp(error, ''));
  await Promise.all(
    workload.starts.map(({ workflow, id, input }) => client.start(named(workflow), { id, input }, life)),
  );
  tell({ kind: 'ready' });
  try {
    await Promise.race([passOnSignals(client, life), tellOutcomes(client, workload.ids, life)]);
    process.exit(0);
  } catch (error) {
    giveUp(error, await openOnes(client, workload.ids));
  }
}

const WORKFLOWS: readonly AnyWorkflow[] = Object.values(workflows).filter((each) => each.kind === 'workflow');

function named(name: string): Workflow<Payload, Payload> {
  const found = WORKFLOWS.find((workflow) => workflow.name === name);
  if (found === undefined) throw new Error(`no workflow ${name}`);
  return found as unknown as Workflow<Payload, Payload>;
}

async function passOnSignals(client: WorkflowClient, signal: AbortSignal): Promise<never> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, signalId, payload } = JSON.parse(line) as ExecutorCommand;
    await client.signal(id, { name: 'item', payload, signalId }, signal).catch(ignoreEnded);
    tell({ kind: 'sent', signalId });
  }
  // The parent has sent everything; printing the outcomes ends the process.
  return await new Promise<never>(() => {});
}

/** A sender that is unsure sends again; the workflow may have ended in the meantime. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof DurableError && error.code === 'WORKFLOW_ENDED')) throw error;
}

async function tellOutcomes(client: WorkflowClient, ids: readonly string[], signal: AbortSignal): Promise<void> {
  const outcomes: WorkflowOutcome[] = [];
  for (const id of ids) {
    const result = await untilThere(() => client.result(id, signal));
    const { status } = await client.describe(id, signal);
    outcomes.push({ id, status, result, history: await client.history(id, signal) });
  }
  await new Promise<void>((resolve) => {
    process.stdout.write(`${JSON.stringify({ kind: 'done', outcomes } satisfies ExecutorNews)}\n`, () => resolve());
  });
}

/** A child does not exist before its parent has started it. Its failure is its result. */
async function untilThere(result: () => Promise<Payload | undefined>): Promise<Payload> {
  for (;;) {
    try {
      return (await result()) ?? null;
    } catch (error) {
      if (!(error instanceof DurableError)) throw error;
      if (error.code === 'WORKFLOW_FAILED') return { failed: String(error.details['code']) };
      if (error.code !== 'WORKFLOW_NOT_FOUND') throw error;
      await delay(5);
    }
  }
}

/** For diagnosing a run that got stuck. */
async function openOnes(client: WorkflowClient, ids: readonly string[]): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const all = await Promise.allSettled(ids.map((id) => client.describe(id, signal)));
  return JSON.stringify(
    all.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
    undefined,
    2,
  );
}

function giveUp(error: unknown, more: string): never {
  writeSync(2, `${inspect(error)}\n${more}\n`);
  process.exit(1);
}

function tell(news: ExecutorNews): void {
  process.stdout.write(`${JSON.stringify(news)}\n`);
}
