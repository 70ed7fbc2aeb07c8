import type { WorkflowClient } from '#kit/durable';
import { createEmbeddedEngine, type ExecutorFact } from '#kit/durable/embedded';
import { openTemporalEngine, type TemporalAddress, TemporalError } from '#kit/durable/temporal';
import type { Probe } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import type { Storage } from '#kit/storage';
import type { Logger, Metrics } from '#kit/telemetry';
import type { DurableChoice } from './durable-kind.ts';
import { watchExecutor } from './executor-watch.ts';
import type { WorkflowSet } from './workflow-set.ts';

export interface DurableOptions {
  readonly choice: DurableChoice;
  readonly set: WorkflowSet;
  readonly storage: Storage;
  /** Of this process alone, and of the next one that has its data folder. */
  readonly seat: string;
  /** Told when this process begins to be the one that acts for the platform, and when it ceases to. */
  readonly onDuty: (isOn: boolean) => void;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** An engine that is ready to execute. */
export interface Durable {
  readonly client: WorkflowClient;
  readonly executor: Runnable;
  readonly probe: Probe;
  /** Once the executor has ended, and nobody asks the client any more. */
  close(): Promise<void>;
}

/** Processes that are to share their work use the same one; what separates installations is the namespace. */
const TASK_QUEUE = 'fleetshift';
const EXECUTOR = 'workflow executor';

export async function openDurable(options: DurableOptions, signal: AbortSignal): Promise<Durable> {
  const { choice } = options;
  return choice.engine === 'embedded' ? openEmbedded(options) : await openTemporal(choice.server, options, signal);
}

function openEmbedded({ set, storage, seat, onDuty, metrics, log }: DurableOptions): Durable {
  const { onFact: watch, probe } = watchExecutor({ log, metrics });
  const onFact = (fact: ExecutorFact): void => {
    if (fact.kind === 'leading') onDuty(true);
    if (fact.kind === 'interrupted') onDuty(false);
    watch(fact);
  };
  const engine = createEmbeddedEngine({ storage, registry: set, seat, onFact });
  return {
    client: engine.client,
    executor: { name: EXECUTOR, run: (signal) => engine.run(signal) },
    probe,
    close: async () => {},
  };
}

/**
 * DECISION: with Temporal all processes execute, and none of them is known to be the only one but where there can be no
 * other. So nobody is on duty on Postgres: connections of a process that died stay until their agents are heard of again.
 */
async function openTemporal(
  server: TemporalAddress,
  { set, storage, onDuty, log }: DurableOptions,
  signal: AbortSignal,
): Promise<Durable> {
  const { modules: workflowModules, ...registry } = set;
  const wanted = { ...server, taskQueue: TASK_QUEUE, registry, workflowModules, log };
  const engine = await openTemporalEngine(wanted, signal).catch((error: unknown) => {
    throw unreachable(error) ?? error;
  });
  if (storage.engine === 'sqlite') onDuty(true);
  const check = async (asked: AbortSignal): Promise<string> => {
    await engine.client.list({ pageSize: 1 }, asked);
    return `temporal at ${server.address}, namespace ${server.namespace}`;
  };
  return {
    client: engine.client,
    executor: { name: EXECUTOR, run: (stop) => engine.run(stop) },
    probe: { name: 'workflows', check },
    close: () => engine.close(),
  };
}

/** What to do about it, where that is not said. */
function unreachable(error: unknown): TemporalError | undefined {
  if (!(error instanceof TemporalError) || error.code !== 'TEMPORAL_UNREACHABLE') return undefined;
  const act = 'it does not answer; see that it is up, and that --durable has its address and namespace';
  return new TemporalError(error.code, `${error.message}: ${act}`, { cause: error });
}
