import { setTimeout as delay } from 'node:timers/promises';
import type { Payload } from '#kit/durable';
import { type ActivityImplementation, implementActivity, type Workflow } from '#kit/durable';
import { createEmbeddedEngine, type ExecutorFact } from '#kit/durable/embedded';
import type { Statement, Storage } from '#kit/storage';
import { asleep, fanned, nothing, stepByStep } from './bench-workflows.ts';

export interface Start {
  readonly workflow: Workflow<never, Payload>;
  readonly ids: readonly string[];
  readonly input: Payload;
}

const doNothing = implementActivity(nothing, async (input) => input);

const WORKFLOWS = [stepByStep, fanned, asleep];

/** Records workflows to run, while no engine is running. */
export async function startAll(storage: Storage, { workflow, ids, input }: Start, signal: AbortSignal): Promise<void> {
  const { client } = createEmbeddedEngine({ storage, registry: { workflows: WORKFLOWS, activities: [doNothing] } });
  // As many at once as a busy server would have, and fewer than the storage's limit.
  for (let from = 0; from < ids.length; from += 1_000) {
    await Promise.all(
      ids.slice(from, from + 1_000).map((id) => client.start(workflow, { id, input: input as never }, signal)),
    );
  }
}

export interface EngineRun {
  readonly storage: Storage;
  /** The run is over once this returns true. */
  readonly isDone: (fact: ExecutorFact) => boolean;
  readonly activity?: ActivityImplementation;
}

/** Runs an engine until the condition holds; returns the milliseconds since it was allowed to execute. */
export async function runUntil(
  { storage, isDone, activity = doNothing }: EngineRun,
  signal: AbortSignal,
): Promise<number> {
  const stop = new AbortController();
  let begun = Number.NaN;
  let took = Number.NaN;
  const engine = createEmbeddedEngine({
    storage,
    registry: { workflows: WORKFLOWS, activities: [activity] },
    leaseMs: 300,
    onFact: (fact) => {
      if (fact.kind === 'leading') begun = performance.now();
      if (!Number.isNaN(took) || !isDone(fact)) return;
      took = performance.now() - begun;
      stop.abort();
    },
  });
  await engine.run(AbortSignal.any([signal, stop.signal]));
  signal.throwIfAborted();
  return took;
}

export interface Running {
  readonly storage: Storage;
  readonly signal: AbortSignal;
  readonly activity?: ActivityImplementation;
}

/** Runs `body` with an engine that is stopped afterwards. */
export async function whileRunning({ signal, ...engine }: Running, body: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const running = runUntil({ ...engine, isDone: () => false }, AbortSignal.any([signal, stop.signal]));
  try {
    await body();
  } finally {
    stop.abort();
    await running.catch(() => {});
  }
}

export interface Rows {
  /** A query that returns their number as `rows`. */
  readonly rows: Statement;
  readonly count: number;
}

export async function untilRows(storage: Storage, { rows, count }: Rows, signal: AbortSignal): Promise<void> {
  while (Number((await storage.get(rows, signal))?.['rows']) < count) await delay(50, undefined, { signal });
}

/** Done once this many have ended. */
export function ended(count: number): (fact: ExecutorFact) => boolean {
  let left = count;
  return (fact) => fact.kind === 'ended' && --left === 0;
}
