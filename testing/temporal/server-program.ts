import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir, constants as os, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';
import { onlyOne } from './only-one.ts';

export const SERVER_VERSION = 'v1.32.1';

export interface FindServerOptions {
  /** Told what is being done, a line at a time: a build takes minutes. */
  readonly log: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

const SOURCE = `go.temporal.io/server/cmd/server@${SERVER_VERSION}`;
const PROGRESS_MS = 30_000;

/**
 * The Temporal server's program, from the user's cache folder; built there first when it is missing, which takes about
 * five minutes on two cores. `undefined` where there is neither the program nor Go to build it with.
 */
export async function findServerProgram({ log, env = process.env }: FindServerOptions): Promise<string | undefined> {
  const folder = join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'fleetshift', 'temporal', SERVER_VERSION);
  const program = join(folder, 'server');
  if (existsSync(program)) return program;
  if (!hasGo(env)) return undefined;
  await mkdir(folder, { recursive: true });
  await onlyOne(
    {
      lock: join(folder, 'builder'),
      isDone: () => existsSync(program),
      waiting: () => log('waiting for another process that is building the Temporal server'),
    },
    () => build({ folder, program, log, env }),
  );
  return program;
}

interface Build extends Required<FindServerOptions> {
  readonly folder: string;
  readonly program: string;
}

/** Built apart and moved into place in one step, so that whoever sees the program sees all of it. */
async function build({ folder, program, log, env }: Build): Promise<void> {
  const remains = (await readdir(folder)).filter((name) => name.startsWith('build-'));
  await Promise.all(remains.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  const apart = await mkdtemp(join(folder, 'build-'));
  try {
    await install(apart, log, env);
    await rename(join(apart, 'server'), program);
  } finally {
    await rm(apart, { recursive: true, force: true });
  }
}

async function install(apart: string, log: (line: string) => void, env: NodeJS.ProcessEnv): Promise<void> {
  log(`building the Temporal server ${SERVER_VERSION}, once for this user: about five minutes`);
  const begun = Date.now();
  const go = spawn('go', ['install', SOURCE], {
    env: { ...env, GOBIN: apart },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // The compilers that it starts inherit it: a build must not starve what else runs on the machine.
  if (go.pid !== undefined) setPriority(go.pid, os.priority.PRIORITY_BELOW_NORMAL);
  let said = '';
  go.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const progress = setInterval(
    () => log(`still building the Temporal server: ${Math.round((Date.now() - begun) / 1_000)} s`),
    PROGRESS_MS,
  );
  try {
    const [code] = (await once(go, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`build the Temporal server with "go install ${SOURCE}": it said\n${said}`);
  } finally {
    clearInterval(progress);
  }
}

function hasGo(env: NodeJS.ProcessEnv): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'go'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
