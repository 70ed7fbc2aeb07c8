import assert from 'node:assert/strict';
import type {
  DurableErrorCode,
  HistoryEntry,
  Payload,
  SignalWithStartOptions,
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

/** Clock difference between the engine's machine and the test's. */
export const SKEW_MS = 5_000;
let counter = 0;

/** A unique id; also usable as the key of work. */
export function freshId(what = 'workflow'): string {
  counter += 1;
  return `${what}-${counter}`;
}

/** A client with bounded calls, plus the conditions that tests wait for. */
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

  signalWithStart<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    options: SignalWithStartOptions<I>,
  ): Promise<'sent' | 'ended'> {
    return this.client.signalWithStart(workflow, options, bounded());
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

  /** When this returns, an engine that does something forbidden has had the time of a whole workflow to do it. */
  async roundTrip(): Promise<void> {
    await this.result(await this.start(steps, { keys: [freshId('round-trip')] }));
  }
}

/**
 * For actions during a sleep of the workflow. `act` returns `undefined` if the sleep ended first; it is then repeated
 * with a longer sleep, so that a slow machine sees the same order of events.
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

/** A history without its times. */
export function withoutTimes(history: readonly HistoryEntry[]): Omit<HistoryEntry, 'time'>[] {
  return history.map((entry) => {
    const { time, ...rest } = entry;
    assert.equal(typeof time, 'number');
    return rest;
  });
}
