import type { Logger } from '#kit/telemetry';
import type { PlatformConfig } from '../platform/config.ts';
import { type RunOptions, runPlatform, type Serving } from '../platform/run.ts';
import { runDemoAgent } from './demo-agent.ts';
import { type DemoApi, demoState, finishDemo, seedDemo } from './seed-demo.ts';

export interface DemoOptions extends Omit<RunOptions, 'onServing' | 'config'> {
  readonly config: PlatformConfig;
  readonly log: Logger;
  /** How this program was started. */
  readonly program: readonly string[];
  /** The demo is there, and can be played with. */
  readonly onReady: (serving: Serving, signal: AbortSignal) => Promise<void>;
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
  const { log, program, onReady } = options;
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
  if (state !== 'made') await seedDemo(api, signal);
  const agent = runDemoAgent({ program, socket, dataFolder: folder.path, log }, signal);
  if (state !== 'made') await finishDemo(api, signal);
  await onReady(platform, signal);
  await agent;
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
