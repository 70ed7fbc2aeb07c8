import { type SeededRandom, seededRandom } from './seeded.ts';

/**
 * A suite that finds more the longer it runs. It lives next to its subject as `<name>.soak.ts`, which exports it as
 * `soak`. `npm run soak -- <name>` finds it there, and the subject's `*.test.ts` runs a share of it.
 */
export interface Soak {
  readonly description: string;
  readonly defaultCount: number;
  run(options: SoakOptions): Promise<void>;
}

export interface SoakOptions {
  readonly count: number;
  readonly seed: number;
  /** For information people should see, other than progress. */
  readonly log: (line: string) => void;
  /** Called with the number of finished cases. */
  readonly progress: (done: number) => void;
  readonly signal: AbortSignal;
}

export interface SoakCase {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
}

/** A failed case of a soak; `cause` says how. To reproduce it alone: `--count 1 --seed <its seed>`. */
export class SoakCaseFailure extends Error {
  readonly seed: number;

  constructor(seed: number, cause: unknown) {
    super(`the case with seed ${seed}`, { cause });
    this.name = 'SoakCaseFailure';
    this.seed = seed;
  }
}

/** Runs independent cases one after another. The first has the given seed, each further one the next number. */
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

/**
 * Options with which a `*.test.ts` runs a share of its soak: `await soak.run(quietly({ count: share(200), seed:
 * testSeed() }, t.signal))`.
 */
export function quietly(size: Pick<SoakOptions, 'count' | 'seed'>, signal: AbortSignal): SoakOptions {
  return { ...size, log: () => {}, progress: () => {}, signal };
}
