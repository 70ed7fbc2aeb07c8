import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir, constants as os, setPriority } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { onlyOne } from './only-one.ts';

export interface GoProgram {
  /** The name shown to people. */
  readonly title: string;
  /** Its path in the user's cache; the folder may hold other programs too. */
  readonly file: string;
  /** How long a build takes, in words. */
  readonly takes: string;
  /** Path of a lock file: programs that share it are built one after another. By default each has its own. */
  readonly lock?: string;
  /** A function if files must be generated for the build; its folder is removed afterwards. */
  readonly source: GoSource | ((folder: string) => Promise<GoSource>);
}

export interface GoSource {
  /** The folder with go.mod. */
  readonly module: string;
  /** The package, as `go build` takes it. */
  readonly package: string;
  /** Added to the flags of every build. */
  readonly flags?: readonly string[];
  /** Values of string variables, for the linker. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface FindOptions {
  /** Receives progress, line by line: a build takes minutes. */
  readonly log: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

const PROGRESS_MS = 30_000;

/**
 * The same for all programs, so that a package used by several is compiled once. Without debug information, which the
 * linker would discard, without C, and with a larger heap for the compiler, a build takes a fifth less time.
 */
const FLAGS = ['-trimpath', '-gcflags=all=-dwarf=false'];
const LINKER_FLAGS = '-s -w';
const ENVIRONMENT = { CGO_ENABLED: '0', GOGC: '400' };

/**
 * The path of a third-party Go program in the user's cache. It is built there when it is missing, and only once even if
 * several processes need it. `undefined` where neither the program nor Go is available.
 */
export async function findGoProgram(program: GoProgram, { log, env }: FindOptions): Promise<string | undefined> {
  const { file, title } = program;
  if (existsSync(file)) return file;
  if (!hasGo(env)) return undefined;
  const folder = dirname(file);
  await mkdir(folder, { recursive: true });
  await onlyOne(
    {
      lock: program.lock ?? join(folder, 'builder'),
      isDone: () => existsSync(file),
      waiting: () => log(`waiting for another process that is building, to have ${title}`),
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
  return isOnPath('go', env);
}

export function isOnPath(program: string, env: NodeJS.ProcessEnv): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A short text that changes with any of the inputs of a build. */
export function fingerprint(...decides: readonly unknown[]): string {
  return hash('sha256', JSON.stringify([FLAGS, LINKER_FLAGS, ENVIRONMENT, decides]), 'hex').slice(0, 8);
}

function buildFlags({ flags = [], variables = {} }: GoSource): string[] {
  const values = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`);
  return [...FLAGS, '-ldflags', [LINKER_FLAGS, ...values].join(' '), ...flags];
}

/** Built elsewhere and moved into place in one step, so that the program is never seen incomplete. */
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

async function runGo(program: GoProgram, apart: string, { log, env }: FindOptions): Promise<void> {
  const { title, takes, file, source } = program;
  log(`building ${title}, once for this user: ${takes}`);
  const begun = Date.now();
  const build = typeof source === 'function' ? await source(apart) : source;
  const args = ['build', ...buildFlags(build), '-o', join(apart, basename(file)), build.package];
  const options = { cwd: build.module, env: { ...env, ...ENVIRONMENT } };
  const go = spawn('go', args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  // Inherited by the compilers it starts: a build must not starve other work on the machine.
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
    if (code !== 0) throw new Error(`build ${title} with "go ${args.join(' ')}": failed with\n${said}`);
  } finally {
    clearInterval(progress);
  }
}
