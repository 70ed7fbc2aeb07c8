import { appendFile, readFile } from 'node:fs/promises';
import type { FleetMemory, Remembered } from '#contexts/delivery/adapters';
import { replaceFile } from '#runtime/process/durable-file';

/**
 * The state of the simulated fleet, one entry per line, latest last.
 *
 * DECISION: no fsync. It has to survive a restart of the process, so that the fleet is found unchanged; after a power
 * failure a target may have lost its last order, which is reported and delivered again.
 */
export function fileFleetMemory(file: string): FleetMemory {
  let last: Promise<void> = Promise.resolve();
  return {
    /** Compacts the file to the entries that still count. */
    async recall(signal) {
      const lines = await readFile(file, { encoding: 'utf8', signal }).catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
        throw error;
      });
      const counting = latest(lines.split('\n').flatMap(parse));
      if (lines !== '') replaceFile(file, counting.map(lineOf).join(''), 0o600);
      return counting;
    },

    async keep(remembered, signal) {
      signal.throwIfAborted();
      // Sequentially, so that lines are never interleaved.
      last = last.catch(() => {}).then(() => appendFile(file, lineOf(remembered), { mode: 0o600 }));
      await last;
    },
  };
}

function latest(all: readonly Remembered[]): readonly Remembered[] {
  const counting = new Map<string, Remembered>();
  for (const remembered of all) {
    const { target } = remembered;
    if ('rebuilds' in remembered) {
      for (const [key, { target: its }] of counting) if (its === target) counting.delete(key);
    }
    const key = 'rebuilds' in remembered ? target : `${target} ${remembered.deployment}`;
    counting.delete(key);
    counting.set(key, remembered);
  }
  return [...counting.values()];
}

function lineOf(remembered: Remembered): string {
  return `${JSON.stringify(remembered)}\n`;
}

/** The last line may be incomplete. */
function parse(line: string): Remembered[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as Remembered];
  } catch {
    return [];
  }
}
