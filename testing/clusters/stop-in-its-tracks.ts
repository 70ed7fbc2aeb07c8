import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { PATIENCE_MS } from '../patience.ts';

const STOPPED = 'T';

/**
 * SIGSTOP, and back when nothing of the process runs any more. The signal alone comes back at once: on a busy machine
 * threads go on for milliseconds, in which a server answers.
 */
export function stopInItsTracks(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  const deadline = performance.now() + PATIENCE_MS;
  while (!threadsOf(pid).every((state) => state === STOPPED)) {
    if (performance.now() > deadline) throw new Error(`stop process ${pid}: it still runs after ${PATIENCE_MS} ms`);
  }
}

/** How each is, as a letter. Only Linux shows them; elsewhere the signal has to do. */
function threadsOf(pid: number): (string | undefined)[] {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return [];
  return readdirSync(tasks).map((task) => {
    try {
      const stat = readFileSync(`${tasks}/${task}/stat`, 'utf8');
      // After the name, which is in brackets and may hold anything.
      return stat[stat.lastIndexOf(')') + 2];
    } catch {
      // It has just ended, which is stopped enough.
      return STOPPED;
    }
  });
}
