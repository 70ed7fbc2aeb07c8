import type { Uuid } from '#kit/std';
import type { TargetId } from '#protocol/targets';

/**
 * An accepted order, or the number of rebuilds of a target, which voids everything before it. The latest entry counts.
 */
export type Remembered =
  | {
      readonly target: TargetId;
      readonly deployment: Uuid;
      readonly revision: number;
      /** Omitted for a removal. */
      readonly hash?: string;
    }
  | { readonly target: TargetId; readonly rebuilds: number };

/** The state that a simulated fleet keeps across restarts, as a real one does. */
export interface FleetMemory {
  /** In the order in which it was kept. */
  recall(signal: AbortSignal): Promise<readonly Remembered[]>;
  /** Resolves once it is durable. */
  keep(remembered: Remembered, signal: AbortSignal): Promise<void>;
}

/** For fleets that end with their process. */
export const NO_MEMORY: FleetMemory = { recall: async () => [], keep: async () => {} };
