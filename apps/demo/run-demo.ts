import type { Logger } from '#kit/telemetry';
import type { PlatformConfig } from '../platform/config.ts';
import { type RunOptions, runPlatform, type Serving } from '../platform/run.ts';
import { clusterAgent, folderAgent, runDemoAgent } from './demo-agent.ts';
import { type DemoClusters, startDemoClusters } from './demo-clusters.ts';
import { demoClusters } from './demo-kubernetes.ts';
import { type DemoApi, demoState, finishDemo, seedClusters, seedDemo } from './seed-demo.ts';

export interface DemoOptions extends Omit<RunOptions, 'onServing' | 'config'> {
  readonly config: PlatformConfig;
  readonly log: Logger;
  /** Command line of this program. */
  readonly program: readonly string[];
  /** Number of clusters next to the folders; default 0. */
  readonly kubernetes?: number;
  /** Called when the demo is ready to use. */
  readonly onReady: (ready: DemoReady, signal: AbortSignal) => Promise<void>;
}

export interface DemoReady extends Serving {
  /** Absent if no clusters were requested or available. */
  readonly clusters: DemoClusters | undefined;
}

/** Runs the platform with a demo fleet of folders on this machine. */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<void> {
  const { log } = options;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const { promise: serving, resolve: onServing } = Promise.withResolvers<Serving>();
  const running = runPlatform({ ...options, onServing }, signal).finally(() => over.abort());
  serving
    .then(async (platform) => await show(platform, options, either))
    .catch((err: unknown) => {
      // The platform keeps serving.
      if (!either.aborted) log.warn({ err }, 'demo not completed; the next start continues');
    });
  await running;
}

async function show(platform: Serving, options: DemoOptions, signal: AbortSignal): Promise<void> {
  const { log, program, environment, onReady, kubernetes = 0 } = options;
  const { fleetletSocket: socket, folder } = platform;
  const api = adminApi(platform);
  if (api === undefined || socket === undefined) {
    log.warn({}, 'no demo: it needs plain HTTP on loopback, the admin token and the socket for local processes');
    return;
  }
  const state = await demoState(api, signal);
  if (state === 'foreign') {
    log.info({}, 'no demo: the instance is not empty; start with another --data folder to create one');
    return;
  }
  const begun = startClusters(options, folder.path, signal);
  if (state !== 'made') await seedDemo(api, signal);
  const { logFormat } = options.config;
  const agent = { program, socket, environment, logFormat, log };
  const agents = [runDemoAgent({ ...agent, words: folderAgent(folder.path) }, signal)];
  if (state !== 'made') await finishDemo(api, signal);
  const clusters = await begun;
  if (clusters !== undefined) {
    await seedClusters(api, kubernetes, signal);
    const words = clusterAgent(clusters.kubeconfig, namesOf(kubernetes));
    agents.push(runDemoAgent({ ...agent, words }, signal));
  }
  await onReady({ ...platform, clusters }, signal);
  await Promise.all([...agents, clusters?.ended]);
}

/** Clusters take some seconds to start; the rest is created meanwhile. The demo works without them. */
async function startClusters(
  { kubernetes = 0, program, log }: DemoOptions,
  dataFolder: string,
  signal: AbortSignal,
): Promise<DemoClusters | undefined> {
  if (kubernetes === 0) return undefined;
  const names = namesOf(kubernetes);
  // The runtime of this program, without the program itself.
  const node = program.slice(0, -1);
  try {
    const started = await startDemoClusters({ dataFolder, names, node }, signal);
    if (started.kind === 'started') return started.clusters;
    log.warn({ reason: started.why }, 'the demo has no clusters');
  } catch (err) {
    if (!signal.aborted) log.warn({ err }, 'the demo has no clusters');
  }
  return undefined;
}

function namesOf(count: number): readonly string[] {
  return demoClusters(count).map(({ name }) => name);
}

function adminApi({ http, token }: Serving): DemoApi | undefined {
  if (http === undefined || token === undefined) return undefined;
  const host = http.host.includes(':') ? `[${http.host}]` : http.host;
  const headers = { authorization: `Bearer ${token.token.reveal()}`, 'content-type': 'application/json' };
  return async ({ method, path, body }, signal) => {
    const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const answer = await fetch(`http://${host}:${http.port}${path}`, {
      method,
      headers: { ...headers, ...type },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });
    return { status: answer.status, body: await answer.json() };
  };
}
