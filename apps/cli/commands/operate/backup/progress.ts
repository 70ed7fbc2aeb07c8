import type { Io } from '../../../command.ts';

const EVERY_MS = 100;
const WIDTH = 30;

export interface Progress {
  /** Counts one more row. */
  step(): void;
  /** Clears the line for further output. */
  end(): void;
}

/** A progress bar on a terminal; no output elsewhere. */
export function progressBar(io: Pick<Io, 'err' | 'errIsTerminal'>, what: string, total: number): Progress {
  if (!io.errIsTerminal) return { step: () => {}, end: () => {} };
  let [done, shownAt] = [0, Number.NEGATIVE_INFINITY];
  return {
    step: () => {
      done += 1;
      const now = performance.now();
      if (now - shownAt < EVERY_MS) return;
      shownAt = now;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.');
      io.err(`\r${what} [${bar}] ${Math.floor(share * 100)}% of ${total} rows`);
    },
    end: () => io.err('\r\u001b[K'),
  };
}
