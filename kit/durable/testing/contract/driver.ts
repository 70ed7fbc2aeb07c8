import assert from 'node:assert/strict';
import type {
  DurableErrorCode,
  HistoryEntry,
  Payload,
  WaitingFor,
  Workflow,
  WorkflowClient,
  WorkflowDescription,
  WorkflowQuery,
  WorkflowStatus,
} from '#kit/durable';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../eventually.ts';
import { steps } from '../workflows/steps.ts';
import type { World } from '../world.ts';

/** The clocks of the engine's machine and of the test's. */
export const SKEW_MS = 5_000;
let counter = 0;

/** An id that no other test has; also good as the key of work. */
export function freshId(what = 'workflow'): string {
  counter += 1;
  return `${what}-${counter}`;
}

/** A client whose every call is bounded, and what tests wait for. */
export class Driver {
  readonly client: WorkflowClient;
  readonly world: World;

  constructor(client: WorkflowClient, world: World) {
    this.client = client;
    this.world = world;
  }

  async start<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    input: I,
    id = freshId(workflow.name),
  ): Promise<string> {
    await this.client.start(workflow, { id, input }, bounded());
    return id;
  }

  result(id: string): Promise<Payload | undefined> {
    return this.client.result(id, bounded());
  }

  signal(id: string, name: string, payload: Payload = null, signalId?: string): Promise<void> {
    return this.client.signal(id, { name, payload, ...(signalId !== undefined && { signalId }) }, bounded());
  }

  query(id: string, name: string): Promise<Payload> {
    return this.client.query(id, name, bounded());
  }

  cancel(id: string, reason = 'no longer wanted'): Promise<void> {
    return this.client.cancel(id, reason, bounded());
  }

  pause(id: string): Promise<void> {
    return this.client.pause(id, bounded());
  }

  resume(id: string): Promise<void> {
    return this.client.resume(id, bounded());
  }

  describe(id: string): Promise<WorkflowDescription> {
    return this.client.describe(id, bounded());
  }

  list(query: WorkflowQuery): ReturnType<WorkflowClient['list']> {
    return this.client.list(query, bounded());
  }

  history(id: string): Promise<HistoryEntry[]> {
    return this.client.history(id, bounded());
  }

  async untilStatus(id: string, status: WorkflowStatus): Promise<WorkflowDescription> {
    const hasIt = async (): Promise<false | WorkflowDescription> => {
      const description = await this.describe(id);
      return description.status === status && description;
    };
    return await eventually(`${id} to be ${status}`, hasIt);
  }

  async untilWaitingFor(id: string, kind: WaitingFor['kind']): Promise<WaitingFor> {
    return await eventually(`${id} to wait for a ${kind}`, async () =>
      (await this.describe(id)).waitingFor.find((waiting) => waiting.kind === kind),
    );
  }

  /** Once this returned, an engine that does what it must not has had the time of a whole workflow to do it. */
  async roundTrip(): Promise<void> {
    await this.result(await this.start(steps, { keys: [freshId('round-trip')] }));
  }
}

/**
 * For what has to be done while a workflow sleeps. `act` gives `undefined` when the sleep was over before it had done so;
 * then it is tried with a longer one, so that a slow machine sees the same order of things.
 */
export async function whileAsleep<T>(ms: number, act: (ms: number) => Promise<T | undefined>): Promise<T> {
  for (let asleepMs = ms; asleepMs < PATIENCE_MS; asleepMs *= 4) {
    const done = await act(asleepMs);
    if (done !== undefined) return done;
  }
  throw new Error(`a sleep of ${PATIENCE_MS / 4} ms was over before anything could be done meanwhile`);
}

export async function rejectsWith(code: DurableErrorCode, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, { name: 'DurableError', code });
}

export function bounded(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MS);
}

/** What a history says, without when. */
export function withoutTimes(history: readonly HistoryEntry[]): Omit<HistoryEntry, 'time'>[] {
  return history.map((entry) => {
    const { time, ...rest } = entry;
    assert.equal(typeof time, 'number');
    return rest;
  });
}
