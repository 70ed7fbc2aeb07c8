import type { Uuid } from '#kit/std';
import type { TargetId } from '#protocol/targets';

/** An order that was accepted, or how often a target was rebuilt, which forgets all before it. The latest counts. */
export type Remembered =
  | {
      readonly target: TargetId;
      readonly deployment: Uuid;
      readonly revision: number;
      /** Left out for a removal. */
      readonly hash?: string;
    }
  | { readonly target: TargetId; readonly rebuilds: number };

/** What a simulated fleet knows beyond its process, as a real one does. */
export interface FleetMemory {
  /** In the order in which it was kept. */
  recall(signal: AbortSignal): Promise<readonly Remembered[]>;
  /** Resolves once it outlives the process. */
  keep(remembered: Remembered, signal: AbortSignal): Promise<void>;
}

/** For fleets that end with their process. */
export const NO_MEMORY: FleetMemory = { recall: async () => [], keep: async () => {} };
