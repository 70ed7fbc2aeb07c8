import { existsSync, readFileSync } from 'node:fs';
import type { Soak, SoakOptions } from '#testing/soak';
import { CoveredCode } from './covered-code.ts';
import { fuzzOne } from './fuzz-one.ts';

/** Below this coverage more seeds or words are needed; a log line says so. */
const GOAL = 0.9;

/**
 * Mutated inputs for every parser of untrusted data. A parser may refuse only with its own error type, and no input may
 * take long. `count` applies to each parser; the same seed produces the same inputs.
 */
export const soak: Soak = {
  description: 'every parser of untrusted input, by coverage-guided mutation',
  defaultCount: 200_000,
  run: (options) => fuzzParsers(options, { unit: 'inputs', isTimed: true }),
};

export interface FuzzSize {
  /** The unit of `count`, per parser. */
  readonly unit: 'inputs' | 'minutes';
  readonly isTimed: boolean;
}

export async function fuzzParsers(options: SoakOptions, { unit, isTimed }: FuzzSize): Promise<void> {
  const { count, seed, log, progress, signal } = options;
  const covered = new CoveredCode();
  try {
    // Imported after coverage has started; otherwise nothing would be counted.
    const [{ YAML_TARGETS }, { TEXT_TARGETS }, { BYTE_TARGETS }] = await Promise.all([
      import('./yaml-targets.ts'),
      import('./text-targets.ts'),
      import('./byte-targets.ts'),
    ]);
    const targets = [...YAML_TARGETS, ...TEXT_TARGETS, ...BYTE_TARGETS];
    for (const [index, target] of targets.entries()) {
      const begun = performance.now();
      const minutes = (): number => (performance.now() - begun) / 60_000;
      let inputs = 0;
      const left = (done: number): number => {
        inputs = done;
        if (unit === 'inputs') return count - done;
        return minutes() < count ? Number.POSITIVE_INFINITY : 0;
      };
      const found = await fuzzOne({ target, corpus: corpusOf(target.name), left, seed, isTimed, covered, signal });
      const { all, ran } = covered.blocks(target.files);
      const below = ran < GOAL * all ? `; less than ${GOAL * 100} %` : '';
      const size = `${inputs} inputs in ${minutes().toFixed(1)} min, ${found.length} kept`;
      log(`${target.name}: ${ran} of ${all} branches (${Math.floor((100 * ran) / all)} %), ${size}${below}`);
      progress(Math.ceil((count * (index + 1)) / targets.length));
    }
  } finally {
    covered.end();
  }
}

/** Inputs of earlier runs that reached new code, as base64. */
function corpusOf(name: string): Buffer[] {
  const file = new URL(`corpus/${name}.json`, import.meta.url);
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as string[]).map((text) => Buffer.from(text, 'base64'));
}
