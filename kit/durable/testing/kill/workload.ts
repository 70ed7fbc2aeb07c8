import type { Payload } from '#kit/durable';
import type { SeededRandom } from '#testing/seeded';
import type { ChainStep } from './kill-workflows.ts';

/** The work of one case, determined by its seed. */
export interface Workload {
  readonly starts: readonly { readonly workflow: string; readonly id: string; readonly input: Payload }[];
  readonly signals: readonly WorkloadSignal[];
  /** All workflows that exist in the end, including children. */
  readonly ids: readonly string[];
}

export interface WorkloadSignal {
  readonly id: string;
  readonly signalId: string;
  readonly payload: Payload;
}

/** A mix of everything: a few dozen steps in all, or half as many. */
export function makeWorkload(random: SeededRandom, { small }: { small: boolean }): Workload {
  const few = (from: number, to: number): number => Math.ceil(random.integer(from, to) / (small ? 2 : 1));
  const chainsOf = (what: string, length: number) =>
    Array.from({ length }, (_, index) => ({ id: `${what}-${index}`, chain: chain(random, few(3, 6)) }));
  const [chains, children] = [chainsOf('chain', few(1, 3)), chainsOf('child', few(3, 5))];
  const items = Array.from({ length: few(8, 16) }, (_, index) => (random.next() < 0.1 ? -1 - index : index));
  const [letters, chapters] = [few(3, 6), few(3, 5)];
  return {
    starts: [
      ...chains.map(({ id, chain: input }) => ({ workflow: 'kill-chain', id, input })),
      { workflow: 'kill-fan', id: 'fan', input: { items, concurrency: random.integer(1, 5) } },
      { workflow: 'kill-mail', id: 'mail', input: { count: letters } },
      { workflow: 'kill-chapters', id: 'chapters', input: { next: 0, last: chapters - 1, read: [] } },
      { workflow: 'kill-family', id: 'family', input: { children } },
    ],
    signals: interleaved(random, [signals('mail', letters), signals('chapters', chapters)]),
    ids: [...chains, ...children].map(({ id }) => id).concat('fan', 'mail', 'chapters', 'family'),
  };
}

function chain(random: SeededRandom, length: number) {
  const steps: ChainStep[] = Array.from({ length }, (_, index) => {
    const kind = random.pick(['work', 'work', 'work', 'sleep', 'draw', 'patch'] as const);
    if (kind === 'work') return { do: kind, item: index, failures: random.pick([0, 0, 1, 2]) };
    if (kind === 'sleep') return { do: kind, ms: random.integer(0, 30) };
    return kind === 'draw' ? { do: kind } : { do: kind, change: `change-${index}` };
  });
  return { steps, fails: random.next() < 0.2 };
}

function signals(id: string, count: number): WorkloadSignal[] {
  return Array.from({ length: count }, (_, number) => ({ id, signalId: `${id}-${number}`, payload: number }));
}

/** Merges the lists at random; each keeps its order. */
function interleaved<T>(random: SeededRandom, lists: T[][]): T[] {
  const all: T[] = [];
  for (let left = lists; left.length > 0; left = left.filter((list) => list.length > 0)) {
    all.push(...random.pick(left).splice(0, 1));
  }
  return all;
}
