import type { Uuid } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { Behaviour } from './behaviour.ts';

/** An external event of a simulated fleet. */
export type FleetEvent =
  | { readonly kind: 'offline' }
  | { readonly kind: 'online' }
  /** A new installation in place of the target, with nothing on it. */
  | { readonly kind: 'rebuilt' }
  /** The delivered content was changed on the target. */
  | { readonly kind: 'drifted'; readonly deployment: Uuid; readonly objects: readonly string[] }
  /** Changes its behaviour. Fields that are not named stay unchanged. */
  | { readonly kind: 'behaves'; readonly behaviour: Partial<Behaviour> };

export type ScriptStep = FleetEvent & {
  /** From the start of the script. */
  readonly atMs: number;
  readonly targets: readonly TargetId[] | 'all';
  /** Repeats at this interval. */
  readonly everyMs?: number;
};

export type FleetScript = readonly ScriptStep[];
