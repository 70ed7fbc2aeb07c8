import type { WorkflowClient } from '#kit/durable';
import { createEmbeddedEngine } from '#kit/durable/embedded';
import { openTemporalEngine, type TemporalAddress, TemporalError } from '#kit/durable/temporal';
import type { Probe } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import { sleep } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { Candidacy } from '#kit/storage/leases';
import type { Logger, Metrics } from '#kit/telemetry';
import { EXECUTOR } from '../leadership/leadership.ts';
import type { DurableChoice } from './durable-kind.ts';
import { watchExecutor } from './executor-watch.ts';
import { runInTerm } from './run-in-term.ts';
import type { TemporalCredentials } from './temporal-settings.ts';
import type { WorkflowSet } from './workflow-set.ts';

export interface DurableOptions {
  readonly choice: DurableChoice;
  /** For Temporal. */
  readonly credentials: TemporalCredentials;
  readonly set: WorkflowSet;
  readonly storage: Storage;
  readonly leases: Candidacy;
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
const NAME = 'workflow executor';

export async function openDurable(options: DurableOptions, signal: AbortSignal): Promise<Durable> {
  const { choice } = options;
  return choice.engine === 'embedded' ? openEmbedded(options) : await openTemporal(choice.server, options, signal);
}

function openEmbedded({ set, storage, leases, metrics, log }: DurableOptions): Durable {
  const { onFact, probe } = watchExecutor({ log, metrics });
  const engine = createEmbeddedEngine({ storage, registry: set, leases, onFact });
  return {
    client: engine.client,
    executor: { name: NAME, run: (signal) => engine.run(signal) },
    probe,
    close: async () => {},
  };
}

/**
 * DECISION: with Temporal too, one replica executes: it has the fleetlets, and an order that another replica carries out
 * would find its target offline. Once replicas reach the fleetlets of each other, all execute. (ADR-0062)
 */
async function openTemporal(
  server: TemporalAddress,
  { credentials, set, leases, log }: DurableOptions,
  signal: AbortSignal,
): Promise<Durable> {
  const { modules: workflowModules, ...registry } = set;
  const wanted = { ...server, ...credentials, taskQueue: TASK_QUEUE, registry, workflowModules, log };
  const engine = await openTemporalEngine(wanted, signal).catch((error: unknown) => {
    throw unreachable(error) ?? error;
  });
  const check = async (asked: AbortSignal): Promise<string> => {
    await engine.client.list({ pageSize: 1 }, asked);
    return `temporal at ${server.address}, namespace ${server.namespace}`;
  };
  const running = { run: (over: AbortSignal) => engine.run(over), sleep, random: Math.random, log };
  return {
    client: engine.client,
    executor: {
      name: NAME,
      run: (stop) => leases.lead(EXECUTOR, ({ signal: over }) => runInTerm(running, over), stop),
    },
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
