import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Profiler } from 'node:inspector';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ownCluster } from '#testing/clusters';
import { type Platform, platformHome } from '#testing/platform-process';
import { ServerProcess } from '#testing/server-process';
import { kubeconfigOf } from '../../apps/platform/proxy-agent/testing/kubeconfig-of.ts';
import { followEvents, type StreamedEvent } from '../../e2e/follow-events.ts';
import { type Entered, enteredIn, union } from './entered.ts';
import { PROBE_FOLDER } from './probe.ts';

/** The functions that one Deployment entered. */
export interface Story {
  readonly ms: number;
  readonly entered: readonly Entered[];
  /** Loops that run anyway. */
  readonly idle: readonly Entered[];
}

const PROBE = ['--import', new URL('./probe.ts', import.meta.url).href];
const TARGET = 'c-1';
/** After the processes connected, and after the story. */
const SETTLE_MS = 3_000;
/** The idle interval is as long as the story, and at least this: loops and heartbeats of up to this interval are in it. */
const IDLE_MS = 15_000;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello', namespace: 'default' } };
const DEPLOYMENT = {
  name: 'hello',
  placement: [{ type: 'all' }],
  rollout: { type: 'immediate' },
  manifest: { type: 'inline', documents: [{ ...CONFIG_MAP, data: { greeting: 'hello' } }] },
};

/**
 * One Deployment from its POST to the event of its success: a platform on SQLite, a fleetlet and a Kubernetes agent, each
 * a process of the checkout in `root`, and a real API server.
 */
export async function runStory(root: string, signal: AbortSignal): Promise<Story> {
  const cleanups: (() => Promise<void> | void)[] = [];
  try {
    const { platform, processes } = await openWorld(root, { cleanups, signal });
    const take = async (): Promise<Entered[]> => union(await Promise.all(processes.map((each) => each())));
    const finished = untilSucceeded(followEvents(platform, '?from=beginning'));
    // The story may fail before it is awaited.
    finished.catch(() => {});
    await pause(SETTLE_MS, undefined, { signal });
    await take();
    const begun = performance.now();
    await ask(platform, 'POST', '/v1/workspaces/root/deployments', DEPLOYMENT);
    await finished;
    const ms = performance.now() - begun;
    const entered = await take();
    await pause(SETTLE_MS, undefined, { signal });
    await take();
    await pause(Math.max(ms, IDLE_MS), undefined, { signal });
    return { ms, entered, idle: await take() };
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
}

interface Opening {
  readonly cleanups: (() => Promise<void> | void)[];
  readonly signal: AbortSignal;
}

async function openWorld(root: string, { cleanups, signal }: Opening) {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-path-'));
  cleanups.push(async () => await rm(folder, { recursive: true, force: true }));
  const cleaner = { after: (body: () => Promise<void> | void) => void cleanups.push(body) };
  const cluster = await ownCluster(cleaner, { size: 'apiserver', name: 'path' }, signal);
  const home = await platformHome('sqlite');
  cleanups.push(async () => await home.dispose());
  const main = join(root, 'apps', 'cli', 'main.ts');
  const environment = { [PROBE_FOLDER]: folder };
  const flags = ['--fleetlet-listen', '127.0.0.1:0'];
  const platform = await home.start({ program: pathToFileURL(main), nodeFlags: PROBE, environment, flags });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf({ [TARGET]: cluster }));
  const bootstrap = { uses: 1, targetType: 'kubernetes', targets: [TARGET] };
  const minted = await ask<{ token: string }>(platform, 'POST', '/v1/workspaces/root/bootstrap-tokens', bootstrap);
  const start = (name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ServerProcess => {
    const log = join(folder, `${name}.log`);
    const words = [...PROBE, main, ...args];
    const started = new ServerProcess({
      program: process.execPath,
      args: words,
      folder,
      log,
      env: { ...environment, ...env },
    });
    cleanups.push(async () => await started.stop('SIGKILL'));
    return started;
  };
  const edge = ['--platform', platform.tlsUrl, '--ca-file', join(home.data, 'tls', 'ca.crt')];
  const served = ['--target', `${TARGET}=kubernetes`, '--data', join(folder, 'fleetlet')];
  const fleetlet = start('fleetlet', ['fleetlet', ...edge, ...served], { FLEETSHIFT_BOOTSTRAP_TOKEN: minted.token });
  const socket = ['--fleetlet-socket', join(folder, 'fleetlet', 'fleetlet.sock')];
  const clusters = ['--kubeconfig', kubeconfig, '--target', `${TARGET}=${TARGET}`];
  const agent = start('agent', ['agent', 'kubernetes', ...clusters, ...socket]);
  await untilConnected(platform, { agents: [fleetlet, agent], signal });
  const pids = [platform.pid, fleetlet.pid, agent.pid];
  const takes = pids.map((pid) => async () => enteredIn(await coverageOf(join(folder, `${pid}.sock`)), root));
  return { platform, processes: takes };
}

async function coverageOf(socket: string): Promise<readonly Profiler.ScriptCoverage[]> {
  return JSON.parse(await text(connect(socket))) as readonly Profiler.ScriptCoverage[];
}

async function untilConnected(
  platform: Platform,
  { agents, signal }: { readonly agents: readonly ServerProcess[]; readonly signal: AbortSignal },
): Promise<void> {
  type Target = { readonly connection: { readonly state: string } };
  for (;;) {
    const ended = agents.find(({ hasEnded }) => hasEnded);
    if (ended !== undefined) throw new Error(`a process ended before its target was connected:\n${ended.said}`);
    const response = await platform.request(`/v1/targets/${TARGET}`, { signal });
    if (response.ok && ((await response.json()) as Target).connection.state === 'Connected') return;
    await pause(100, undefined, { signal });
  }
}

async function untilSucceeded(events: AsyncIterable<StreamedEvent>): Promise<void> {
  for await (const { type, data } of events) {
    if (type !== 'rollout.finished') continue;
    const { status } = data as { readonly status?: { readonly rollout?: { readonly outcome?: string } } };
    if (status?.rollout?.outcome === 'Succeeded') return;
    throw new Error(`the rollout did not succeed: ${JSON.stringify(status)}`);
  }
  throw new Error('the event stream ended before the rollout did');
}

async function ask<T>(platform: Platform, method: string, path: string, body: object): Promise<T> {
  const response = await platform.request(path, { method, body });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
  return JSON.parse(answer) as T;
}
