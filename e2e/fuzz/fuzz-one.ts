import assert from 'node:assert/strict';
import { seededRandom } from '#testing/seeded';
import type { CoveredCode } from './covered-code.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { mutate } from './mutate.ts';

/** Asking V8 costs as much as a hundred inputs; so it is asked for many at once, and again for each only if some were new. */
const BATCH = 50;
/** Inputs have at most 4 KiB. */
const MAX_CPU_MS = 50;
const TAKES = 3;

export interface FuzzOrder {
  readonly target: FuzzTarget;
  readonly corpus: readonly Buffer[];
  /** How many inputs are to come after that many. */
  readonly left: (done: number) => number;
  readonly seed: number;
  /** Whether an input that takes long fails. Not where the process has been slowed down by others. */
  readonly isTimed: boolean;
  readonly covered: CoveredCode;
  readonly signal: AbortSignal;
}

/** The corpus, and all inputs that reached code which none before had. A fault is thrown with the input that shows it. */
export async function fuzzOne(order: FuzzOrder): Promise<Buffer[]> {
  const { target, covered, left, isTimed } = order;
  const parts = [...target.files, ...target.libraries];
  const random = seededRandom(order.seed);
  const corpus = [...target.seeds.map((seed) => Buffer.from(seed)), ...order.corpus];
  for (const input of corpus) runOne(target, input, isTimed);
  covered.take(parts);
  /** Those that reach something new: halved and run again, until it is seen which they are. */
  const newOf = (some: readonly Buffer[]): Buffer[] => {
    for (const input of some) runOne(target, input, isTimed);
    if (!covered.take(parts, some.length === 1 ? 'keep' : 'peek')) return [];
    const half = some.length >> 1;
    return half === 0 ? [...some] : [...newOf(some.slice(0, half)), ...newOf(some.slice(half))];
  };
  for (let done = 0; left(done) > 0; done += BATCH) {
    order.signal.throwIfAborted();
    const inputs = Array.from({ length: Math.min(BATCH, left(done)) }, () =>
      mutate(random.pick(corpus), { words: target.words, corpus, random }),
    );
    corpus.push(...newOf(inputs));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return corpus;
}

function runOne(target: FuzzTarget, input: Buffer, isTimed: boolean): void {
  let took = cpuOf(target, input);
  // Code that is compiled, or memory that is collected, is not the input's fault: it has to be slow each time.
  for (let take = 1; isTimed && took > MAX_CPU_MS && take < TAKES; take += 1) took = cpuOf(target, input);
  assert.ok(!isTimed || took <= MAX_CPU_MS, `${target.name} took ${took} ms of CPU for ${shown(input)}`);
}

function cpuOf(target: FuzzTarget, input: Buffer): number {
  const before = process.threadCpuUsage();
  try {
    target.run(Buffer.from(input));
  } catch (cause) {
    throw new Error(`${target.name} failed on ${shown(input)}`, { cause });
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function shown(input: Buffer): string {
  return `base64 ${input.toString('base64')}`;
}
