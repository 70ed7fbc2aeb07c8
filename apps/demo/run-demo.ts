import type { HostPort } from '#kit/config';
import type { Secret } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { writeDefaultWorkspace } from '#runtime/instance/default-workspace';
import { type LogConfig, processLog, type Surroundings } from '#runtime/process/process-command';
import { clusterAgent, folderAgent, runDemoAgent } from './demo-agent.ts';
import { type DemoClusters, startDemoClusters } from './demo-clusters.ts';
import { DEMO_WORKSPACE } from './demo-fleet.ts';
import { demoClusters } from './demo-kubernetes.ts';
import { nextSteps } from './next-steps.ts';
import { type DemoApi, demoState, finishDemo, seedClusters, seedDemo } from './seed-demo.ts';

/** A platform that serves, as far as a demo needs to know it. */
export interface DemoPlatform {
  readonly http?: HostPort | undefined;
  readonly folder: { readonly path: string };
  readonly token?: { readonly token: Secret } | undefined;
  readonly fleetletSocket?: string | undefined;
}

/** Where the commands of the user find the demo. */
export interface DemoPlace {
  readonly server: string;
  readonly workspace: string;
}

interface AdminAccess {
  readonly server: string;
  readonly token: Secret;
}

export interface DemoOptions extends Pick<Surroundings, 'environment' | 'err'> {
  readonly config: LogConfig;
  /** Runs the platform until the signal aborts. */
  readonly servePlatform: (onServing: (platform: DemoPlatform) => void, signal: AbortSignal) => Promise<void>;
  /** Command line of this program. */
  readonly program: readonly string[];
  /** How a user calls this program here. */
  readonly command: string;
  readonly currentFolder: string;
  /** Number of clusters next to the folders. */
  readonly kubernetes: number;
  /** Whether the commands of the user go elsewhere unless they name the demo. */
  readonly isElsewhere: (place: DemoPlace) => boolean;
  /** Shows a text to the user. */
  readonly show: (text: string) => void;
}

interface Demo extends DemoOptions {
  readonly log: Logger;
}

/** Runs the platform with a demo fleet of folders on this machine. */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<void> {
  const log = processLog(options.config, options.err).child({ component: 'demo' });
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const { promise: serving, resolve: onServing } = Promise.withResolvers<DemoPlatform>();
  const running = options.servePlatform(onServing, signal).finally(() => over.abort());
  serving
    .then(async (platform) => await show(platform, { ...options, log }, either))
    .catch((err: unknown) => {
      // The platform keeps serving.
      if (!either.aborted) log.warn({ err }, 'demo not completed; the next start continues');
    });
  await running;
}

async function show(platform: DemoPlatform, demo: Demo, signal: AbortSignal): Promise<void> {
  const { log, program, environment, kubernetes } = demo;
  const { fleetletSocket: socket, folder, http, token } = platform;
  if (http === undefined || token === undefined || socket === undefined) {
    log.warn({}, 'no demo: it needs plain HTTP on loopback, the admin token and the socket for local processes');
    return;
  }
  const access = { server: serverAt(http), token: token.token };
  const api = adminApi(access);
  const state = await demoState(api, signal);
  if (state === 'foreign') {
    log.info({}, 'no demo: the instance is not empty; start with another --data folder to create one');
    return;
  }
  const begun = startClusters(demo, folder.path, signal);
  if (state !== 'made') await seedDemo(api, signal);
  const { logFormat } = demo.config;
  const agent = { program, socket, environment, logFormat, log };
  const agents = [runDemoAgent({ ...agent, words: folderAgent(folder.path) }, signal)];
  if (state !== 'made') await finishDemo(api, signal);
  const clusters = await begun;
  if (clusters !== undefined) {
    await seedClusters(api, kubernetes, signal);
    const words = clusterAgent(clusters.kubeconfig, namesOf(kubernetes));
    agents.push(runDemoAgent({ ...agent, words }, signal));
  }
  const { server } = access;
  writeDefaultWorkspace(folder.path, DEMO_WORKSPACE);
  const isElsewhere = demo.isElsewhere({ server, workspace: DEMO_WORKSPACE });
  const facts = clusters && { clusters: { ...clusters, names: namesOf(kubernetes) } };
  const { command, currentFolder } = demo;
  demo.show(nextSteps({ command, dataFolder: folder.path, isElsewhere, currentFolder, server, ...facts }));
  await Promise.all([...agents, clusters?.ended]);
}

function serverAt({ host, port }: HostPort): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Clusters take some seconds to start; the rest is created meanwhile. The demo works without them. */
async function startClusters(
  { kubernetes, program, log }: Demo,
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
    log.warn({ reason: started.why }, 'demo clusters not started; continuing without them');
  } catch (err) {
    if (!signal.aborted) log.warn({ err }, 'demo clusters not started; continuing without them');
  }
  return undefined;
}

function namesOf(count: number): readonly string[] {
  return demoClusters(count).map(({ name }) => name);
}

function adminApi({ server, token }: AdminAccess): DemoApi {
  const headers = { authorization: `Bearer ${token.reveal()}`, 'content-type': 'application/json' };
  return async ({ method, path, body }, signal) => {
    const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const answer = await fetch(`${server}${path}`, {
      method,
      headers: { ...headers, ...type },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });
    return { status: answer.status, body: await answer.json() };
  };
}
