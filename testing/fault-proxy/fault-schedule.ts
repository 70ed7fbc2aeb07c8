import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../seeded.ts';
import type { CutHow } from './proxied-connection.ts';
import { DIRECTIONS, type Direction } from './weather.ts';

export type Fault =
  | { readonly kind: 'cut'; readonly how: CutHow }
  /** Cuts after this many bytes, but waits no longer than `ms` for them. */
  | { readonly kind: 'cutAfter'; readonly bytes: number; readonly how: CutHow; readonly ms: number }
  | { readonly kind: 'stall'; readonly ms: number }
  | { readonly kind: 'halfOpen'; readonly direction: Direction; readonly ms: number }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number; readonly ms: number }
  | { readonly kind: 'refuse'; readonly ms: number }
  /** All clients have to reconnect, and arrive in a different order. */
  | { readonly kind: 'reorder'; readonly upToMs: number; readonly ms: number };

export interface FaultStep {
  /** How long the network is healthy before the step. */
  readonly afterMs: number;
  readonly fault: Fault;
}

/** The part of the proxy that a schedule needs. */
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
  /** The longest duration of a fault, or of a healthy period between two. */
  readonly longestMs: number;
}

/** The same random source gives the same schedule. */
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
