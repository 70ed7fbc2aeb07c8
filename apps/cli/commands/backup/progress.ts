import type { Io } from '../../command.ts';

const EVERY_MS = 100;
const WIDTH = 30;

export interface Progress {
  /** One more is done. */
  step(): void;
  /** Clears the line, so that what is said next has it. */
  end(): void;
}

/** A bar on a terminal; elsewhere nothing, as nobody watches a file. */
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
