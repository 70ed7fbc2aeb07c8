import type { Uuid } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { Behaviour } from './behaviour.ts';

/** What happens to a simulated fleet from outside. */
export type FleetEvent =
  | { readonly kind: 'offline' }
  | { readonly kind: 'online' }
  /** Another installation in the same place, with nothing on it. */
  | { readonly kind: 'rebuilt' }
  /** Somebody changed what was delivered. */
  | { readonly kind: 'drifted'; readonly deployment: Uuid; readonly objects: readonly string[] }
  /** From now on it behaves otherwise. What is not said stays. */
  | { readonly kind: 'behaves'; readonly behaviour: Partial<Behaviour> };

export type ScriptStep = FleetEvent & {
  /** From when the script begins. */
  readonly atMs: number;
  readonly targets: readonly TargetId[] | 'all';
  /** Again and again, so long after each time. */
  readonly everyMs?: number;
};

export type FleetScript = readonly ScriptStep[];
