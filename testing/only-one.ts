import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface OnlyOneOptions {
  /** A file that holds the pid of the working process. */
  readonly lock: string;
  readonly isDone: () => boolean;
  /** Called when another process is already working. */
  readonly waiting: () => void;
}

const LOOK_AGAIN_MS = 500;

/**
 * When several processes find something missing at the same time, one does the work and the others wait.
 *
 * The lock only saves work. A lock whose holder was killed is taken over; should two processes ever work at once, the
 * work must tolerate that.
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
  // The holder has the lock, and is about to write its pid.
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
