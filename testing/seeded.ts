/** Reproducible randomness: the same seed gives the same numbers on every machine. */
export interface SeededRandom {
  /** At least 0, less than 1. */
  next(): number;
  /** Both ends are inclusive. */
  integer(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
}

export function seededRandom(seed: number): SeededRandom {
  const draw = mixer(seed);
  const next = (): number => draw() / 2 ** 32;
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new RangeError('pick one of nothing');
    return items[integer(0, items.length - 1)] as T;
  };
  const shuffled = <T>(items: readonly T[]): T[] => {
    const left = [...items];
    return items.map(() => left.splice(integer(0, left.length - 1), 1)[0] as T);
  };
  return { next, integer, pick, shuffled };
}

/** The seed of this test run; `npm test` prints it. A test file run by hand uses the same default as `npm test`. */
export function testSeed(): number {
  return Number(process.env['FLEETSHIFT_TEST_SEED'] ?? 20_260_101);
}

/**
 * How many of a suite's `count` cases `npm test` runs: one in twenty, and at least one. `npm run soak` runs them all, and
 * so does FLEETSHIFT_TEST_SHARE=1.
 */
export function share(count: number, env: NodeJS.ProcessEnv = process.env): number {
  return Math.max(1, Math.ceil(count * Number(env['FLEETSHIFT_TEST_SHARE'] ?? 0.05)));
}

/** Generates 32 bits at a time: a counter that strides through all values, each mixed so that neighbours are unrelated. */
function mixer(seed: number): () => number {
  // Seeds beyond 32 bits count in full, so that neighbours there differ too.
  let state = (seed ^ Math.floor(seed / 2 ** 32)) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let stirred = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    stirred = Math.imul(stirred ^ (stirred >>> 15), 0x735a2d97);
    return (stirred ^ (stirred >>> 15)) >>> 0;
  };
}
