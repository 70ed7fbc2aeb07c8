import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir, constants as os, setPriority } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { onlyOne } from './only-one.ts';

export interface GoProgram {
  /** What people call it. */
  readonly title: string;
  /** Where it belongs, in the user's cache: its folder may hold others too. */
  readonly file: string;
  /** How long a build takes, in words. */
  readonly takes: string;
  /** What `go` is asked to do so that the program comes to lie in `folder`. */
  readonly build: (folder: string) => GoCommand;
}

export interface GoCommand {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface FindOptions {
  /** Told what is being done, a line at a time: a build takes minutes. */
  readonly log: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

const PROGRESS_MS = 30_000;

/**
 * A program that others wrote in Go, from the user's cache folder; built there first when it is missing, once though
 * several processes want it. `undefined` where there is neither the program nor Go to build it with.
 */
export async function findGoProgram(program: GoProgram, { log, env }: FindOptions): Promise<string | undefined> {
  const { file, title } = program;
  if (existsSync(file)) return file;
  if (!hasGo(env)) return undefined;
  const folder = dirname(file);
  await mkdir(folder, { recursive: true });
  await onlyOne(
    {
      lock: join(folder, 'builder'),
      isDone: () => existsSync(file),
      waiting: () => log(`waiting for another process that is building ${title}`),
    },
    () => build(program, { log, env }),
  );
  return file;
}

/** Tells test processes, which have a home of their own, where this user's programs are kept. */
export const TEST_CACHE = 'FLEETSHIFT_TEST_CACHE';

/** Where this user's programs are kept between runs. */
export function cacheFolder(env: NodeJS.ProcessEnv, ...names: readonly string[]): string {
  const folder = env[TEST_CACHE] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'fleetshift');
  return join(folder, ...names);
}

export function hasGo(env: NodeJS.ProcessEnv): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'go'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Built apart and moved into place in one step, so that whoever sees the program sees all of it. */
async function build(program: GoProgram, options: FindOptions): Promise<void> {
  const folder = dirname(program.file);
  const remains = (await readdir(folder)).filter((name) => name.startsWith('build-'));
  await Promise.all(remains.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  const apart = await mkdtemp(join(folder, 'build-'));
  try {
    await runGo(program, apart, options);
    await rename(join(apart, basename(program.file)), program.file);
  } finally {
    await rm(apart, { recursive: true, force: true });
  }
}

async function runGo({ title, takes, build }: GoProgram, apart: string, { log, env }: FindOptions): Promise<void> {
  log(`building ${title}, once for this user: ${takes}`);
  const begun = Date.now();
  const { args, cwd, env: more } = build(apart);
  const go = spawn('go', args, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'ignore', 'pipe'] });
  // The compilers that it starts inherit it: a build must not starve what else runs on the machine.
  if (go.pid !== undefined) setPriority(go.pid, os.priority.PRIORITY_BELOW_NORMAL);
  let said = '';
  go.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const progress = setInterval(
    () => log(`still building ${title}: ${Math.round((Date.now() - begun) / 1_000)} s`),
    PROGRESS_MS,
  );
  try {
    const [code] = (await once(go, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`build ${title} with "go ${args.join(' ')}": it said\n${said}`);
  } finally {
    clearInterval(progress);
  }
}
