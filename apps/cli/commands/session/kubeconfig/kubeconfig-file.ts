import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { sleep } from '#kit/std';
import { UsageError } from '../../../command.ts';
import { NotAKubeconfig } from './merge-kubeconfig.ts';

const LOCK_LOOK_MS = 50;
const LOCK_WAIT_MS = 5_000;

/** The file that kubectl itself would write new entries into. */
export function usualKubeconfig({ KUBECONFIG, HOME = '/' }: Readonly<Record<string, string | undefined>>): string {
  const [first] = (KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  return resolve(first ?? join(HOME, '.kube', 'config'));
}

/** Written under the lock that kubectl uses too, and atomically: readers see the old file or the new one. */
export async function changeKubeconfig(
  file: string,
  change: (before: string) => string,
  signal: AbortSignal,
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o750 });
  const lock = `${file}.lock`;
  await takeLock(lock, signal);
  try {
    const facts = statSync(file, { throwIfNoEntry: false });
    const before = facts === undefined ? '' : readFileSync(file, 'utf8');
    replaceFile(file, change(before), facts === undefined ? 0o600 : facts.mode & 0o777);
  } catch (error) {
    if (error instanceof NotAKubeconfig) throw new UsageError(`${file} is not a kubeconfig: ${error.message}`);
    throw error;
  } finally {
    rmSync(lock, { force: true });
  }
}

function replaceFile(file: string, text: string, mode: number): void {
  const next = `${file}.${process.pid}.tmp`;
  const handle = openSync(next, 'wx', mode);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(next, file);
}

async function takeLock(lock: string, signal: AbortSignal): Promise<void> {
  for (let waited = 0; ; waited += LOCK_LOOK_MS) {
    try {
      closeSync(openSync(lock, 'wx', 0o600));
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    if (waited >= LOCK_WAIT_MS) {
      throw new UsageError(
        `${lock} exists: another program is writing the file, or was killed and left the lock; then remove it`,
      );
    }
    await sleep(LOCK_LOOK_MS, signal);
  }
}
