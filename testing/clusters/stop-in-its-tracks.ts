import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { PATIENCE_MS } from '../patience.ts';

const STOPPED = 'T';

/**
 * Sends SIGSTOP and waits until no thread of the process runs any more. `kill` returns at once, but on a busy machine
 * threads run on for milliseconds, in which a server may answer.
 */
export function stopInItsTracks(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  const deadline = performance.now() + PATIENCE_MS;
  while (!threadsOf(pid).every((state) => state === STOPPED)) {
    if (performance.now() > deadline) throw new Error(`stop process ${pid}: it still runs after ${PATIENCE_MS} ms`);
  }
}

/** The state letter of each thread. Only Linux exposes it; elsewhere the signal has to suffice. */
function threadsOf(pid: number): (string | undefined)[] {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return [];
  return readdirSync(tasks).map((task) => {
    try {
      const stat = readFileSync(`${tasks}/${task}/stat`, 'utf8');
      // Follows the name, which is in parentheses and may contain any character.
      return stat[stat.lastIndexOf(')') + 2];
    } catch {
      // The thread has just ended, which counts as stopped.
      return STOPPED;
    }
  });
}
