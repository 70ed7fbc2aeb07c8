import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface OnlyOneOptions {
  /** A file that holds the number of the process that works. */
  readonly lock: string;
  readonly isDone: () => boolean;
  /** Told when another process works on it. */
  readonly waiting: () => void;
}

const LOOK_AGAIN_MS = 500;

/**
 * Of several processes that find something not done at the same time, one does it and the others wait.
 *
 * The lock saves work and no more: one whose holder was killed is taken over, and should two ever work at once, the work
 * must stand it.
 */
export async function onlyOne({ lock, isDone, waiting }: OnlyOneOptions, work: () => Promise<void>): Promise<void> {
  while (!isDone()) {
    if (await take(lock)) {
      try {
        if (!isDone()) await work();
      } finally {
        await rm(lock, { force: true });
      }
    } else {
      waiting();
      await untilFree(lock);
    }
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function untilFree(lock: string): Promise<void> {
  for (let holder = await holderOf(lock); holder !== undefined; holder = await holderOf(lock)) {
    if (!isAlive(holder)) return await rm(lock, { force: true });
    await delay(LOOK_AGAIN_MS);
  }
}

async function holderOf(lock: string): Promise<number | undefined> {
  try {
    return Number(await readFile(lock, 'utf8'));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  // It has the lock, and its number is about to be written.
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
