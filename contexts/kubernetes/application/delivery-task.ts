import type { Sleep } from '#kit/std';
import type { Claims } from './claims.ts';
import type { InventoryTracker } from './inventory-tracker.ts';
import type { InventoryStore } from './ports.ts';
import type { Delivery, SurveyDeps } from './survey.ts';

export interface CarryOutDeps extends SurveyDeps {
  readonly inventories: Pick<InventoryStore, 'others'>;
  readonly sleep: Sleep;
  /** Pauses between checks whether something is established or gone. After the last one, the work is retried later. */
  readonly looksMs: readonly number[];
}

/** One delivery, with its current state. */
export interface DeliveryTask {
  readonly delivery: Delivery;
  readonly tracker: InventoryTracker;
  readonly claims: Claims;
  /** The order was replaced or cancelled; checked before each object. */
  readonly isOver: () => boolean;
  /** Present if the order is not saved in the cluster yet; resolves once it is. */
  readonly saved?: (signal: AbortSignal) => Promise<void>;
  /** Resource versions after our writes, by identity. The watch may be behind them. */
  readonly versions: Map<string, string>;
  /** Objects that are not deleted, because other deployments or agents hold them; called after each wave with some. */
  readonly onLeft?: (messages: readonly string[]) => void;
}
