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
  /** How this program was started. */
  readonly program: readonly string[];
  /** How many clusters there are beside the folders; none unless told. */
  readonly kubernetes?: number;
  /** The demo is there, and can be played with. */
  readonly onReady: (ready: DemoReady, signal: AbortSignal) => Promise<void>;
}

export interface DemoReady extends Serving {
  /** Absent when none were asked for, or can be had. */
  readonly clusters: DemoClusters | undefined;
}

/** The platform, and beside it a fleet of folders of this machine with something on it. */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<void> {
  const { log } = options;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const { promise: serving, resolve: onServing } = Promise.withResolvers<Serving>();
  const running = runPlatform({ ...options, onServing }, signal).finally(() => over.abort());
  serving
    .then(async (platform) => await show(platform, options, either))
    .catch((err: unknown) => {
      // The platform serves all the same.
      if (!either.aborted) log.warn({ err }, 'the demo was not made to its end; the next start goes on');
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
    log.info({}, 'no demo: there is something in this instance already; --data with another folder begins one');
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

/** They take some seconds, in which the rest is made. Without them there is still a demo. */
async function startClusters(
  { kubernetes = 0, program, log }: DemoOptions,
  dataFolder: string,
  signal: AbortSignal,
): Promise<DemoClusters | undefined> {
  if (kubernetes === 0) return undefined;
  const names = namesOf(kubernetes);
  // What runs this program, without the program.
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
