import { readFile } from 'node:fs/promises';
import { Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type {
  CreatedEngineOptions,
  CreateTemporalEngine,
  TemporalEngineOptions,
  TemporalTls,
} from '../engine-options.ts';
import { isOutage } from '../outage.ts';
import { SANDBOX_DEFAULTS, type SandboxOptions } from '../sandbox/sandbox-options.ts';
import { TemporalError } from '../temporal-error.ts';
import { activityDispatcher } from './activity-dispatcher.ts';
import { bundleWorkflows } from './bundle-workflows.ts';
import { installRuntime } from './runtime.ts';
import { TemporalClient } from './temporal-client.ts';
import { TemporalService } from './temporal-service.ts';

const CONNECT_MS = 5_000;
/** Concurrent activities, over all workflows. Attempts wait for other systems, not for a processor. */
const ACTIVITIES_AT_ONCE = 1_000;

export const createTemporalEngine: CreateTemporalEngine = async (options, signal) => {
  const sandbox: SandboxOptions = {
    workerLostMs: options.workerLostMs ?? SANDBOX_DEFAULTS.workerLostMs,
    workflowTaskTimeoutMs: options.workflowTaskTimeoutMs ?? SANDBOX_DEFAULTS.workflowTaskTimeoutMs,
  };
  const connection = await connect(options, signal);
  let bundle: Promise<{ readonly code: string }> | undefined;
  return {
    client: new TemporalClient({
      service: new TemporalService(connection, options.namespace),
      taskQueue: options.taskQueue,
      workflows: new Map(options.registry.workflows.map((workflow) => [workflow.name, workflow])),
      workflowTaskTimeoutMs: sandbox.workflowTaskTimeoutMs,
    }),
    run: async (until) => {
      bundle ??= workflowBundle(options, sandbox);
      const parts = { options, sandbox, workflowBundle: await bundle };
      await runWorker(parts, until).catch((error: unknown) => {
        throw isOutage(error) ? unreachable(`run a worker at Temporal at ${options.address}`, error) : error;
      });
    },
    close: () => connection.close(),
  };
};

async function workflowBundle(
  options: CreatedEngineOptions,
  sandbox: SandboxOptions,
): Promise<{ readonly code: string }> {
  if (options.workflowBundle === undefined) return await bundleWorkflows(options.workflowModules, sandbox);
  return { code: await readFile(options.workflowBundle, 'utf8') };
}

async function connect(options: TemporalEngineOptions, signal: AbortSignal): Promise<Connection> {
  const { address } = options;
  const connection = Connection.lazy({ address, connectTimeout: CONNECT_MS, ...credentials(options) });
  try {
    await Promise.race([connection.ensureConnected(), rejectionOf(signal)]);
    return connection;
  } catch (error) {
    await connection.close();
    signal.throwIfAborted();
    throw unreachable(`connect to Temporal at ${address}`, error);
  }
}

async function connectWorker(options: TemporalEngineOptions): Promise<NativeConnection> {
  const { address } = options;
  try {
    return await NativeConnection.connect({ address, ...credentials(options) });
  } catch (error) {
    throw unreachable(`connect a worker to Temporal at ${address}`, error);
  }
}

function unreachable(doing: string, cause: unknown): TemporalError {
  return new TemporalError('TEMPORAL_UNREACHABLE', doing, { cause });
}

/** Rejects as soon as the signal aborts, with its reason. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

interface WorkerParts {
  readonly options: TemporalEngineOptions;
  readonly sandbox: SandboxOptions;
  readonly workflowBundle: { readonly code: string };
}

async function runWorker({ options, sandbox, workflowBundle }: WorkerParts, until: AbortSignal): Promise<void> {
  if (until.aborted) return;
  const { namespace, taskQueue, registry } = options;
  installRuntime(options.log);
  const connection = await connectWorker(options);
  try {
    const worker = await Worker.create({
      connection,
      namespace,
      taskQueue,
      workflowBundle,
      activities: {
        default: activityDispatcher({
          activities: registry.activities,
          workerLostMs: sandbox.workerLostMs,
          random: Math.random,
        }),
      },
      maxConcurrentActivityTaskExecutions: ACTIVITIES_AT_ONCE,
      // How long the worker that has a workflow in memory is preferred before another may continue it.
      stickyQueueScheduleToStartTimeout: sandbox.workflowTaskTimeoutMs,
      // The dispatcher controls the heartbeat interval.
      maxHeartbeatThrottleInterval: 500,
      // Attempts are aborted at once. A running workflow task finishes, since it is short.
      shutdownGraceTime: 0,
    });
    const stop = (): void => worker.shutdown();
    until.addEventListener('abort', stop, { once: true });
    try {
      const running = worker.run();
      if (until.aborted) stop();
      await running;
    } finally {
      until.removeEventListener('abort', stop);
    }
  } finally {
    await connection.close();
  }
}

function credentials({ tls, apiKey }: TemporalEngineOptions) {
  return { ...(tls && { tls: toTlsConfig(tls) }), ...(apiKey && { apiKey: apiKey.reveal() }) };
}

function toTlsConfig({ ca, certificate, serverName }: TemporalTls) {
  return {
    ...(ca && { serverRootCACertificate: Buffer.from(ca) }),
    ...(certificate && {
      clientCertPair: { crt: Buffer.from(certificate.cert), key: Buffer.from(certificate.key) },
    }),
    ...(serverName !== undefined && { serverNameOverride: serverName }),
  };
}
