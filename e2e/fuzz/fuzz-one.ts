import assert from 'node:assert/strict';
import { seededRandom } from '#testing/seeded';
import type { CoveredCode } from './covered-code.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { mutate } from './mutate.ts';

/**
 * Reading V8's coverage costs as much as a hundred inputs. It is read once per batch, and per input only if the batch
 * reached new code.
 */
const BATCH = 50;
/** Limit for one input, which has at most 4 KiB. */
const MAX_CPU_MS = 50;
const TAKES = 3;

export interface FuzzOrder {
  readonly target: FuzzTarget;
  readonly corpus: readonly Buffer[];
  /** How many inputs remain after `done` of them. */
  readonly left: (done: number) => number;
  readonly seed: number;
  /** Whether a slow input fails. Off where other processes slow this one down. */
  readonly isTimed: boolean;
  readonly covered: CoveredCode;
  readonly signal: AbortSignal;
}

/** Returns the corpus and all inputs that reached new code. A fault is thrown together with its input. */
export async function fuzzOne(order: FuzzOrder): Promise<Buffer[]> {
  const { target, covered, left, isTimed } = order;
  const parts = [...target.files, ...target.libraries];
  const random = seededRandom(order.seed);
  const corpus = [...target.seeds.map((seed) => Buffer.from(seed)), ...order.corpus];
  for (const input of corpus) runOne(target, input, isTimed);
  covered.take(parts);
  /** The inputs that reach new code: halves the list and runs each half again until they are identified. */
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
  // Compilation and garbage collection are not the input's fault: it must be slow every time.
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
