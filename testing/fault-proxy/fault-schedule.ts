import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../seeded.ts';
import type { CutHow } from './proxied-connection.ts';
import { DIRECTIONS, type Direction } from './weather.ts';

export type Fault =
  | { readonly kind: 'cut'; readonly how: CutHow }
  /** Once so many bytes have gone through; but it is not waited for longer than `ms`. */
  | { readonly kind: 'cutAfter'; readonly bytes: number; readonly how: CutHow; readonly ms: number }
  | { readonly kind: 'stall'; readonly ms: number }
  | { readonly kind: 'halfOpen'; readonly direction: Direction; readonly ms: number }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number; readonly ms: number }
  | { readonly kind: 'refuse'; readonly ms: number }
  /** Everybody has to connect anew, and comes in another order. */
  | { readonly kind: 'reorder'; readonly upToMs: number; readonly ms: number };

export interface FaultStep {
  /** How long the weather is good before. */
  readonly afterMs: number;
  readonly fault: Fault;
}

/** What a schedule is played on: of the proxy only what it needs. */
interface Faulty {
  cutAll(how?: CutHow): void;
  cutAfter(bytes: number, how?: CutHow): void;
  stall(): void;
  halfOpen(direction: Direction): void;
  slow(bytesPerSecond: number): void;
  refuse(on: boolean): void;
  delayConnects(upToMs: number): void;
  heal(): void;
}

export interface ScheduleOptions {
  readonly steps: number;
  /** The longest that a fault lasts, or the good weather between two. */
  readonly longestMs: number;
}

/** The same random gives the same schedule. */
export function makeFaultSchedule(random: SeededRandom, { steps, longestMs }: ScheduleOptions): FaultStep[] {
  return Array.from({ length: steps }, () => ({
    afterMs: random.integer(0, longestMs),
    fault: makeFault(random, random.integer(1, longestMs)),
  }));
}

export async function playFaults(on: Faulty, schedule: readonly FaultStep[], signal: AbortSignal): Promise<void> {
  for (const { afterMs, fault } of schedule) {
    await delay(afterMs, undefined, { signal });
    begin(on, fault);
    if ('ms' in fault) await delay(fault.ms, undefined, { signal });
    on.heal();
  }
}

function makeFault(random: SeededRandom, ms: number): Fault {
  const how = random.pick(['reset', 'end'] as const);
  return random.pick<() => Fault>([
    () => ({ kind: 'cut', how }),
    () => ({ kind: 'cutAfter', bytes: random.integer(1, 20_000), how, ms }),
    () => ({ kind: 'stall', ms }),
    () => ({ kind: 'halfOpen', direction: random.pick(DIRECTIONS), ms }),
    () => ({ kind: 'slow', bytesPerSecond: random.integer(2_000, 200_000), ms }),
    () => ({ kind: 'refuse', ms }),
    () => ({ kind: 'reorder', upToMs: random.integer(1, ms), ms }),
  ])();
}

function begin(on: Faulty, fault: Fault): void {
  switch (fault.kind) {
    case 'cut':
      on.cutAll(fault.how);
      return;
    case 'cutAfter':
      on.cutAfter(fault.bytes, fault.how);
      return;
    case 'stall':
      on.stall();
      return;
    case 'halfOpen':
      on.halfOpen(fault.direction);
      return;
    case 'slow':
      on.slow(fault.bytesPerSecond);
      return;
    case 'refuse':
      on.refuse(true);
      on.cutAll();
      return;
    case 'reorder':
      on.delayConnects(fault.upToMs);
      on.cutAll();
  }
}
