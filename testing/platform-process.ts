import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Engine } from '#kit/storage';
import { bareEnvironment } from './bare-environment.ts';
import { freshDatabase } from './databases.ts';
import { PATIENCE_MS } from './patience.ts';
import { MAIN } from './product.ts';
import { SHORT_LIVED } from './short-lived.ts';

/** The data folder and database of a platform, which outlast its processes. */
export interface PlatformHome {
  readonly data: string;
  /** The value of the setting: `sqlite` or a URL. */
  readonly database: string;
  /** Starts a real process on free loopback ports, and waits until it is ready. */
  start(options?: StartOptions): Promise<Platform>;
  /** The same without waiting. */
  spawn(options?: StartOptions): PlatformProcess;
  /** Kills running processes and removes everything. Idempotent. */
  dispose(): Promise<void>;
}

export interface StartOptions {
  /** Flags for `serve`. They take precedence over the home's settings, which are in the environment. */
  readonly flags?: readonly string[];
  /** A program other than the product's own that takes `serve` and its flags. */
  readonly program?: URL;
  /** Flags for Node itself. */
  readonly nodeFlags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface PlatformProcess {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** All output so far. */
  said(): string;
  /** Rejects when the process ends first. */
  ready(): Promise<Platform>;
  /** Sends SIGTERM and waits for the exit. */
  stop(): Promise<Ended>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<Ended>;
}

export interface Platform extends PlatformProcess {
  readonly url: string;
  readonly tlsUrl: string;
  /** The administrator's token. */
  readonly token: string;
  /** Time from the start of the process to the first 200 of `/readyz`. */
  readonly readyAfterMs: number;
  /** Sends a request as the administrator; a plain object as the body is sent as JSON. */
  request(path: string, init?: PlatformRequest): Promise<Response>;
}

export interface PlatformRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

export async function platformHome(engine: Engine): Promise<PlatformHome> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-platform-'));
  const guardian = startGuardian(folder);
  const running = new Set<PlatformProcess>();
  const database = engine === 'postgres' ? await freshDatabase(engine) : undefined;
  const home = { data: join(folder, 'data'), database: database?.engine === 'postgres' ? database.url : 'sqlite' };
  const watch = (): void => guardian.watch([...running].map(({ pid }) => pid));
  const spawnOne = (options: StartOptions = {}): PlatformProcess => {
    const started = spawnPlatform(home, options);
    running.add(started);
    watch();
    const forget = (): void => {
      running.delete(started);
      watch();
    };
    started.ended.then(forget, forget);
    return started;
  };
  return {
    ...home,
    spawn: spawnOne,
    start: (options) => spawnOne(options).ready(),
    dispose: async () => {
      await Promise.all([...running].map((platform) => platform.kill()));
      await database?.dispose();
      await rm(folder, { recursive: true, force: true });
      await guardian.release();
    },
  };
}

function spawnPlatform({ data, database }: Pick<PlatformHome, 'data' | 'database'>, options: StartOptions) {
  const { flags = [], program, nodeFlags = [], environment = {} } = options;
  const begun = performance.now();
  const main = program === undefined ? MAIN : fileURLToPath(program);
  const child = spawn(process.execPath, [...SHORT_LIVED, ...nodeFlags, main, 'serve', ...flags], {
    cwd: dirname(data),
    env: bareEnvironment(dirname(data), {
      FLEETSHIFT_LISTEN: '127.0.0.1:0',
      FLEETSHIFT_TLS_LISTEN: '127.0.0.1:0',
      FLEETSHIFT_DATA: data,
      FLEETSHIFT_DATABASE: database,
      ...environment,
    }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('start a platform: the process has no pid');
  const { said, serving } = listenTo(child);
  const ended = once(child, 'close').then((): Ended => {
    const { exitCode: code, signalCode: signal } = child;
    return { code, signal, said: said() };
  });
  const end = (signal: NodeJS.Signals) => async (): Promise<Ended> => {
    child.kill(signal);
    return await ended;
  };
  const own = { pid, said, ended, stop: end('SIGTERM'), kill: end('SIGKILL') };
  const ready = async (): Promise<Platform> => {
    const { url, tlsUrl } = await firstOf(serving, own);
    await untilReady(url);
    const readyAfterMs = performance.now() - begun;
    const token = (await readFile(join(data, 'admin-token'), 'utf8')).trim();
    return { ...own, ready, url, tlsUrl, token, readyAfterMs, request: requester(url, token) };
  };
  return { ...own, ready } satisfies PlatformProcess;
}

type Addresses = Pick<Platform, 'url' | 'tlsUrl'>;

/** Collects the process's output, and finds the addresses it serves on. */
function listenTo(child: ChildProcess): { said: () => string; serving: Promise<Addresses> } {
  if (child.stderr === null) throw new Error('start a platform: it has no standard error');
  const lines: string[] = [];
  const serving = Promise.withResolvers<Addresses>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (!line.includes('"msg":"serving"')) return;
    const { address } = JSON.parse(line) as { address: readonly string[] };
    const [url = '', tlsUrl = ''] = ['http:', 'https:'].map((scheme) => address.find((one) => one.startsWith(scheme)));
    serving.resolve({ url, tlsUrl });
  });
  return { said: () => lines.join('\n'), serving: serving.promise };
}

/** The addresses it serves on. Fails with its output if it ends first or takes too long. */
async function firstOf(
  serving: Promise<Addresses>,
  { ended, said }: Pick<PlatformProcess, 'ended' | 'said'>,
): Promise<Addresses> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`start a platform: not within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  const over = ended.then(({ code, signal }) => {
    throw new Error(`start a platform: it ended with ${code ?? signal} and said\n${said()}`);
  });
  try {
    return await Promise.race([serving, over, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function untilReady(url: string): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  while ((await fetch(`${url}/readyz`, { signal })).status !== 200) await delay(20, undefined, { signal });
}

function requester(url: string, token: string): Platform['request'] {
  return (path, { body, headers = {}, method = 'GET', signal } = {}) => {
    const timeout = AbortSignal.timeout(PATIENCE_MS);
    return fetch(`${url}${path}`, {
      method,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
}

/**
 * Outlives this process, however that ends; then kills the platforms it was last told about and removes their folder. It
 * notices by the end of its input, which the kernel closes even after SIGKILL.
 */
function startGuardian(folder: string) {
  const child = spawn('/bin/sh', ['-c', GUARDIAN, 'guardian', folder], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    // In its own session, so that Ctrl-C in the terminal does not end it before its work is done.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const input = child.stdin as Socket;
  child.unref();
  input.unref();
  input.on('error', () => {});
  return {
    watch: (pids: readonly number[]): void => void input.write(`${pids.join(' ')}\n`),
    release: async (): Promise<void> => {
      if (child.exitCode !== null) return;
      child.ref();
      const ended = once(child, 'exit');
      input.end();
      await ended;
    },
  };
}

const GUARDIAN = `
pids=
while read -r line; do pids=$line; done
[ -n "$pids" ] && kill -KILL $pids
tries=0
while [ -e "$1" ] && [ $tries -lt 50 ]; do
  rm -rf "$1" || sleep 0.1
  tries=$((tries + 1))
done
`;
