import { type SeededRandom, seededRandom } from './seeded.ts';

/**
 * A suite that gets better the longer it runs. It lives beside its subject as `<name>.soak.ts`, which exports it as
 * `soak`; `npm run soak -- <name>` finds it there, and the subject's `*.test.ts` runs a share of it.
 */
export interface Soak {
  readonly description: string;
  readonly defaultCount: number;
  run(options: SoakOptions): Promise<void>;
}

export interface SoakOptions {
  readonly count: number;
  readonly seed: number;
  /** Something that people should know; progress is not. */
  readonly log: (line: string) => void;
  /** Told how many cases are done. */
  readonly progress: (done: number) => void;
  readonly signal: AbortSignal;
}

export interface SoakCase {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
}

/** One case of a soak was wrong; `cause` says how. It can be had again alone: `--count 1 --seed <its seed>`. */
export class SoakCaseFailure extends Error {
  readonly seed: number;

  constructor(seed: number, cause: unknown) {
    super(`the case with seed ${seed}`, { cause });
    this.name = 'SoakCaseFailure';
    this.seed = seed;
  }
}

/** Runs independent cases one after another. The first has the seed itself, each other the next number. */
export async function eachCase(options: SoakOptions, runCase: (it: SoakCase) => Promise<void>): Promise<void> {
  const { count, signal } = options;
  for (let done = 0; done < count; done += 1) {
    signal.throwIfAborted();
    const seed = options.seed + done;
    try {
      await runCase({ seed, random: seededRandom(seed), signal });
    } catch (error) {
      signal.throwIfAborted();
      throw new SoakCaseFailure(seed, error);
    }
    options.progress(done + 1);
  }
}

/** What a `*.test.ts` runs a share of its soak with: `await soak.run(quietly({ count: share(200), seed: testSeed() }, t.signal))`. */
export function quietly(size: Pick<SoakOptions, 'count' | 'seed'>, signal: AbortSignal): SoakOptions {
  return { ...size, log: () => {}, progress: () => {}, signal };
}
