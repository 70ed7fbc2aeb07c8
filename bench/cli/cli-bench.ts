import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage } from '../../scripts/build-package.ts';
import { ROOT } from '../../scripts/repository.ts';
import { type Bench, type BenchContext, cost, type Figure, plain } from '../figure.ts';
import { percentile } from '../statistics.ts';

/** Number of starts of each: quick, full. */
const ROUNDS = { quick: 15, full: 60 };
/** Largest multiple of the time of `node -e 0`. */
const GOALS = { package: 1.5, checkout: 6 };
/** The first runs fill the compile cache. */
const WARM_UP = 2;
/** What a person waits for: a command with a configuration, whose answer is checked and printed. */
const ANSWER = JSON.stringify({ items: [] });
const REFUSAL = JSON.stringify({ detail: 'a bench has no targets' });

export const cliBench: Bench = {
  name: 'cli',
  description: 'startup time of commands, from the published package and from a checkout',
  async run(context) {
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-bench-cli-'));
    try {
      return await measure(folder, context);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function measure(folder: string, context: BenchContext): Promise<Figure[]> {
  const { quick, signal } = context;
  const server = await listen();
  try {
    const programs = { package: await install(folder, signal), checkout: join(ROOT, 'bin/fleetshift') };
    const get = ['get', 'targets', '--server', server.url];
    const answered = ['get', 'replicas'];
    const user = join(folder, 'user');
    await writeContext(user, server.url);
    const starts = Object.entries(programs).flatMap(([name, program]) => [
      { name: `${name}: version`, from: name, run: () => untilEnd(folder, program, ['version']) },
      {
        name: `${name}: get targets, until its request`,
        from: name,
        run: () => untilAsked(folder, [program, ...get], server),
      },
      {
        name: `${name}: get replicas, with a context, to its end`,
        from: name,
        run: () => untilEnd(user, program, answered),
      },
    ]);
    const bare = () => untilEnd(folder, process.execPath, ['-e', '0']);
    const rounds = quick ? ROUNDS.quick : ROUNDS.full;
    context.log(`${starts.length} commands and node -e 0 in turn, ${rounds} rounds`);
    const times = new Map<string, number[]>();
    for (let round = -WARM_UP; round < rounds; round++) {
      for (const { name, run } of [{ name: 'bare', run: bare }, ...starts]) {
        signal.throwIfAborted();
        const took = await run();
        if (round >= 0) times.set(name, [...(times.get(name) ?? []), took]);
      }
    }
    const median = (name: string): number => percentile(times.get(name) ?? [], 0.5);
    return [
      plain('node -e 0', median('bare'), 'ms'),
      ...starts.map(({ name, from }) => {
        const goal = from === 'package' ? GOALS.package : GOALS.checkout;
        return cost({ name, value: median(name), unit: 'ms', reference: median('bare'), goal });
      }),
    ];
  } finally {
    await server.close();
  }
}

/** In the form in which `fleetshift login` writes it. */
async function writeContext(home: string, server: string): Promise<void> {
  const folder = join(home, '.config', 'fleetshift');
  await mkdir(folder, { recursive: true });
  const text = `version: 1\ncurrentContext: bench\ncontexts:\n  - name: bench\n    server: ${server}/\n`;
  await writeFile(join(folder, 'config.yaml'), text, { mode: 0o600 });
}

/** Installs the package as npm does in a project, with its dependencies; returns the link that a user starts. */
async function install(folder: string, signal: AbortSignal): Promise<string> {
  const packages = join(folder, 'project', 'node_modules');
  await mkdir(join(packages, '.bin'), { recursive: true });
  await buildPackage(join(packages, 'fleetshift'), signal);
  await symlink(join(ROOT, 'node_modules'), join(packages, 'fleetshift', 'node_modules'));
  await symlink('../fleetshift/bin/fleetshift', join(packages, '.bin', 'fleetshift'));
  return join(packages, '.bin', 'fleetshift');
}

interface Server {
  readonly url: string;
  /** The time when the next request arrives. */
  nextRequest(): Promise<number>;
  close(): Promise<void>;
}

async function listen(): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/v1/replicas') === true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(ANSWER);
      return;
    }
    response.writeHead(403, { 'content-type': 'application/problem+json' });
    response.end(REFUSAL);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('listen: no address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    nextRequest: async () => {
      await once(server, 'request');
      return performance.now();
    },
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

async function untilEnd(folder: string, program: string, args: readonly string[]): Promise<number> {
  const { begun, ended } = begin(folder, [program, ...args]);
  const code = await ended;
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: exit code ${code}`);
  return performance.now() - begun;
}

async function untilAsked(folder: string, command: readonly string[], server: Server): Promise<number> {
  const asked = server.nextRequest();
  const { begun, ended } = begin(folder, command);
  const early = ended.then((code) => Promise.reject(new Error(`${command.join(' ')}: exit code ${code}, no request`)));
  const arrived = await Promise.race([asked, early]);
  // One at a time: a process still exiting would slow down the next start.
  await ended;
  early.catch(() => {});
  return arrived - begun;
}

/** Starts the program with its own home and cache, and without the user's settings. */
function begin(home: string, [program = '', ...args]: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: home };
  const begun = performance.now();
  const child = spawn(program, args, { cwd: home, env, stdio: 'ignore' });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { begun, ended };
}
