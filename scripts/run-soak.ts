import { inspect } from 'node:util';
import { type Soak, SoakCaseFailure } from '#testing/soak';

export interface SoakOrder {
  readonly name: string;
  readonly soak: Soak;
  readonly count: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

const PROGRESS_MS = 5_000;

/** Runs a soak with a progress line every few seconds. On failure, the last line is the command that reproduces it. */
export async function runSoak({ name, soak, count, seed, print }: SoakOrder, signal: AbortSignal): Promise<boolean> {
  print(`soak ${name}: ${soak.description}; count ${count}, seed ${seed}`);
  const begun = performance.now();
  const seconds = (): string => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  let done = 0;
  const report = setInterval(() => print(`${name}: ${done} of ${count} after ${seconds()}`), PROGRESS_MS);
  try {
    await soak.run({
      count,
      seed,
      log: (line) => print(`${name}: ${line}`),
      progress: (now) => {
        done = now;
      },
      signal,
    });
    print(`soak ${name}: passed; count ${count}, seed ${seed}, ${seconds()}`);
    return true;
  } catch (error) {
    print(inspect(error));
    print(`soak ${name}: not passed after ${done} of ${count}, ${seconds()}. The same again:`);
    print(`  npm run soak -- ${name} ${again(error, { count, seed })}`);
    return false;
  } finally {
    clearInterval(report);
  }
}

function again(error: unknown, { count, seed }: { count: number; seed: number }): string {
  return error instanceof SoakCaseFailure ? `--count 1 --seed ${error.seed}` : `--count ${count} --seed ${seed}`;
}
