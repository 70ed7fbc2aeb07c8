import { type Random, sleep as realSleep, type Sleep } from '#kit/std';
import type { KeyedQueue } from './keyed-queue.ts';
import type { Runnable } from './supervisor.ts';

export interface ResyncOptions {
  readonly name: string;
  readonly queue: KeyedQueue;
  /** All existing keys. */
  readonly keys: () => Iterable<string>;
  readonly everyMs: number;
  readonly sleep?: Sleep;
  readonly random?: Random;
}

/**
 * Adds every key again periodically, to catch changes that no event reported. The period is `everyMs` plus or minus a
 * tenth, so that processes started together drift apart. Within a round the keys are spread over a tenth of the period,
 * so that there is no burst. Keys are added with low priority.
 */
export function createResync({ name, queue, keys, everyMs, ...ports }: ResyncOptions): Runnable {
  const { sleep = realSleep, random = Math.random } = ports;
  return {
    name,
    run: async (signal) => {
      for (;;) {
        await sleep(Math.ceil(everyMs * (0.9 + 0.2 * random())), signal);
        for (const key of keys()) queue.add(key, { priority: 'low', afterMs: (random() * everyMs) / 10 });
      }
    },
  };
}
