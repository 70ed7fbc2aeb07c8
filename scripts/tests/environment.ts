import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, hasGo, TEST_CACHE } from '../../testing/go-program.ts';
import { withOurPrograms } from '../run-command.ts';

/**
 * The environment of test processes. Only these variables of the caller are passed on, so that a test means the same on
 * every machine, regardless of the user's home, settings and the location of the checkout.
 */
const ALLOWED = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'USER',
  'LOGNAME',
  'CI',
  'CHROMIUM',
  'KUBEBUILDER_ASSETS',
  'FLEETSHIFT_POSTGRES_BIN',
  'npm_config_registry',
  'npm_config_cafile',
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
];
const ALLOWED_FAMILIES = /^(FLEETSHIFT_TEST_|GO[A-Z]+$|CGO_)/;
const GO_PLACES = ['GOPATH', 'GOCACHE', 'GOMODCACHE', 'GOENV'];

export function testEnvironment(caller: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const allowed = Object.entries(caller).filter(([name]) => ALLOWED.includes(name) || ALLOWED_FAMILIES.test(name));
  return withOurPrograms({
    ...goPlaces(caller),
    ...Object.fromEntries(allowed),
    // Caches of slow builds. They hold programs and packages, nothing that a test reads as a setting.
    [TEST_CACHE]: cacheFolder(caller),
    NODE_COMPILE_CACHE: caller['NODE_COMPILE_CACHE'] ?? cacheFolder(caller, 'tests', 'compiled'),
    npm_config_cache: caller['npm_config_cache'] ?? join(homedir(), '.npm'),
    npm_config_update_notifier: 'false',
  });
}

const COMPILED_DAYS = 2;

/** Compiled code is tied to its path, and each run's package has a new path: old entries are useless. */
export function dropOldCompiledCode(folder: string, now: number): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const age = now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now);
    if (age > COMPILED_DAYS * 86_400_000) rmSync(file, { force: true });
  }
}

/**
 * Linux's in-memory file system. Tests sync to disk thousands of times, and none of them checks what a power loss would
 * destroy.
 */
const IN_MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Creates the folder of a run: in memory where there is room and programs may be executed, otherwise among other
 * temporary files.
 */
export function makeRunFolder(parents: readonly string[] = [IN_MEMORY, tmpdir()]): string {
  for (const parent of parents) {
    const folder = usableFolder(parent, parent === IN_MEMORY ? ROOM_BYTES : 0);
    if (folder !== undefined) return folder;
  }
  throw new Error(`create a folder for the tests: none of ${parents.join(', ')} is usable`);
}

function usableFolder(parent: string, roomBytes: number): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(parent);
    if (bavail * bsize < roomBytes) return undefined;
    const folder = mkdtempSync(join(parent, 'fst-'));
    // Permissions as for temporary folders: servers that run under another account create and remove their own folders in
    // it.
    chmodSync(folder, 0o1777);
    writeFileSync(join(folder, 'runs'), '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(join(folder, 'runs'));
    return folder;
  } catch {
    // Missing, not writable, or mounted noexec.
    return undefined;
  }
}

export interface JobFolders {
  /** The working directory of the process: an empty folder outside the checkout. */
  readonly work: string;
  readonly home: string;
}

export function makeJobFolders(run: string, job: number): JobFolders {
  const work = join(run, String(job), 'work');
  const home = join(run, String(job), 'home');
  for (const folder of [work, home]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { work, home };
}

/** Go keeps its caches in the user's home by default. */
function goPlaces(caller: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!hasGo(caller)) return {};
  const answer = execFileSync('go', ['env', '-json', ...GO_PLACES], { encoding: 'utf8', env: caller });
  return JSON.parse(answer) as NodeJS.ProcessEnv;
}
