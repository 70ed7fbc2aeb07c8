import type { WorkflowClient } from '#kit/durable';
import { createEmbeddedEngine, type ExecutorFact } from '#kit/durable/embedded';
import { openTemporalEngine, type TemporalAddress, TemporalError } from '#kit/durable/temporal';
import type { Probe } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import type { Storage } from '#kit/storage';
import type { Logger, Metrics } from '#kit/telemetry';
import type { DurableChoice } from './durable-kind.ts';
import { watchExecutor } from './executor-watch.ts';
import type { TemporalCredentials } from './temporal-settings.ts';
import type { WorkflowSet } from './workflow-set.ts';

export interface DurableOptions {
  readonly choice: DurableChoice;
  /** For Temporal. */
  readonly credentials: TemporalCredentials;
  readonly set: WorkflowSet;
  readonly storage: Storage;
  /** Identifies this process, and the next one with the same data folder. */
  readonly seat: string;
  /** Called when this process becomes active, and when it ceases to be. */
  readonly onDuty: (isOn: boolean) => void;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** An engine that is ready to execute. */
export interface Durable {
  readonly client: WorkflowClient;
  readonly executor: Runnable;
  readonly probe: Probe;
  /** To be called once the executor has ended and the client is no longer used. */
  close(): Promise<void>;
}

/** Processes that share work use the same queue; installations are separated by namespace. */
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
    if (fact.kind === 'standing-by') onDuty(false);
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
 * DECISION: with Temporal all processes execute, and none is known to be the only one, except on SQLite. So on Postgres
 * no process is active in this sense: targets of a process that died stay connected until their agents reconnect.
 */
async function openTemporal(
  server: TemporalAddress,
  { credentials, set, storage, onDuty, log }: DurableOptions,
  signal: AbortSignal,
): Promise<Durable> {
  const { modules: workflowModules, ...registry } = set;
  const wanted = { ...server, ...credentials, taskQueue: TASK_QUEUE, registry, workflowModules, log };
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

/** Adds the remedy where the message has none. */
function unreachable(error: unknown): TemporalError | undefined {
  if (!(error instanceof TemporalError) || error.code !== 'TEMPORAL_UNREACHABLE') return undefined;
  const act =
    'it does not answer; check that it is running, that --durable has its address and namespace, and that the --temporal settings have what it asks for';
  return new TemporalError(error.code, `${error.message}: ${act}`, { cause: error });
}
