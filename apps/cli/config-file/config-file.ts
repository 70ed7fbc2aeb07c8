import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { sleep } from '#kit/std';
import { parseYaml } from '#kit/yaml';
import { renderYaml } from '../output/yaml.ts';
import { type CliConfig, EMPTY_CONFIG } from './cli-config.ts';
import { ConfigFileError } from './config-file-error.ts';
import { parseConfig } from './parse-config.ts';
import { readPlainYaml } from './plain-yaml.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const LOCK_WAIT_MS = 10_000;
/** A lock older than this is stale: the deadline of a refresh is well below it. */
const LOCK_STALE_MS = 60_000;
const LOCK_LOOK_MS = 50;

/** `$FLEETSHIFT_CONFIG`, else the default location of this user. */
export function configFilePath(environment: Environment): string {
  const { FLEETSHIFT_CONFIG: named, XDG_CONFIG_HOME: folder, HOME: home = '/' } = environment;
  return resolve(named || join(folder || join(home, '.config'), 'fleetshift', 'config.yaml'));
}

/** Empty when there is no file yet. The file contains credentials, so it is refused when other users can read it. */
export function readConfigFile(file: string): CliConfig {
  const facts = attempt(file, () => statSync(file, { throwIfNoEntry: false }));
  if (facts === undefined) return EMPTY_CONFIG;
  if ((facts.mode & 0o077) !== 0) throw unusable(file, `is readable by other users; run: chmod 600 ${file}`);
  const raw = attempt(file, () => readText(readFileSync(file, 'utf8'))) ?? EMPTY_CONFIG;
  const config = parseConfig(raw);
  if (typeof config !== 'string') return config;
  throw unusable(file, `is not valid for this version (${config})`);
}

function readText(text: string): unknown {
  return readPlainYaml(text) ?? parseYaml(text);
}

/**
 * Reads, changes and writes the file under a lock. Two processes that use the same refresh token at once would look
 * like token theft to the issuer. The callback may take some time, within the limit of the lock.
 */
export async function changeConfigFile<T>(
  file: string,
  change: (config: CliConfig, write: (next: CliConfig) => void) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  attempt(file, () => makeFolder(dirname(file)));
  const lock = `${file}.lock`;
  await takeLock(lock, signal);
  try {
    return await change(readConfigFile(file), (next) => writeConfigFile(file, next));
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Written atomically, and private from the first byte. */
function writeConfigFile(file: string, config: CliConfig): void {
  attempt(file, () => {
    const draft = `${file}.${process.pid}`;
    const descriptor = openSync(draft, 'w', 0o600);
    try {
      fchmodSync(descriptor, 0o600);
      writeFileSync(descriptor, renderYaml(config, { lineWidth: 0 }));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  });
}

async function takeLock(lock: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + LOCK_WAIT_MS;
  while (!attempt(lock, () => tryLock(lock))) {
    if (Date.now() > deadline) {
      throw new ConfigFileError(
        'CONFIG_FILE_BUSY',
        `another fleetshift process is changing the configuration; if none is running, remove ${lock}`,
      );
    }
    await sleep(LOCK_LOOK_MS, signal);
  }
}

function tryLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const facts = statSync(lock, { throwIfNoEntry: false });
    // Left behind by a process that was killed.
    if (facts !== undefined && Date.now() - facts.mtimeMs > LOCK_STALE_MS) rmSync(lock, { force: true });
    return false;
  }
}

/** Node's `recursive` never returns where a folder exists and creating a child fails with ENOENT, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function attempt<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof ConfigFileError) throw cause;
    throw unusable(file, `cannot be used (${cause instanceof Error ? cause.message : String(cause)})`, cause);
  }
}

function unusable(file: string, why: string, cause?: unknown): ConfigFileError {
  return new ConfigFileError('CONFIG_FILE_UNUSABLE', `the configuration ${file} ${why}`, { cause });
}
