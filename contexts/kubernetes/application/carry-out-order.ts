import type { Clock, Sleep, ValueMask } from '#kit/std';
import type { ApplySetInventory } from '../domain/inventory.ts';
import { maskFor } from '../domain/secret-fields.ts';
import { carryOut, type Outcome } from './carry-out.ts';
import type { Claims } from './claims.ts';
import { maskedComparison } from './compare.ts';
import type { DeploymentState } from './deployment-state.ts';
import { InventoryTracker } from './inventory-tracker.ts';
import type { ClusterPorts } from './ports.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface CarryOutOrderDeps {
  readonly ports: ClusterPorts;
  readonly claims: Claims;
  readonly sleep: Sleep;
  readonly clock: Clock;
  /** Called after each inventory save: the set of kinds to watch may have changed. */
  readonly kindsChanged: () => void;
  /** Objects of a deployment that are not deleted, because others hold them. */
  readonly onLeft?: (deployment: string, objects: readonly string[]) => void;
}

/** Concurrent requests per deployment. */
export const WIDTH = 16;
const LOOKS_MS = [10, 20, 40, 80, 160, 320];

export interface Assignment {
  readonly state: DeploymentState;
  /** Writes of the deployment's records run one after another. */
  readonly write: (body: () => Promise<void>, signal: AbortSignal) => Promise<void>;
  /** Repair only these objects, by identity. */
  readonly takesBack?: ReadonlySet<string>;
  /** Whether the order may revert changes that others made to an object, by identity. */
  readonly mayTakeBack?: (identity: string) => boolean;
  /** Read from the server, not from the watch: an earlier attempt based on the watch failed. */
  readonly asksServer?: boolean;
}

/** Carries out the stored order, and stops as soon as another order replaces it. */
export async function carryOutOrder(
  { ports, claims, sleep, clock, kindsChanged, onLeft }: CarryOutOrderDeps,
  { state, write, takesBack, mayTakeBack, asksServer = false }: Assignment,
  signal: AbortSignal,
): Promise<Outcome> {
  const facts = state.order;
  const order = await state.wholeOrder(signal);
  if (order === undefined) return { kind: 'stopped' };
  // A repair restores the desired state and changes nothing else, so the order stays done.
  if (takesBack === undefined) state.touch();
  const { deployment, versions } = state;
  const { revision, hash, origin, documents, namespace, secretPlaces } = order;
  const how = { ...(takesBack && { takesBack }), ...(mayTakeBack && { mayTakeBack }) };
  const delivery = { deployment, revision, hash, documents, namespace, secretPlaces, ...how };
  const { api: cluster, discovery, watch, own } = ports;
  const inventories = {
    save: async (inventory: ApplySetInventory, stop: AbortSignal): Promise<void> => {
      await write(async () => await state.saveInventory(inventory, stop), stop);
      kindsChanged();
    },
  };
  const defer = (inventory: ApplySetInventory): void => state.defer(inventory, clock.now());
  const trackedOrder = { ...delivery, origin, isRepair: takesBack !== undefined };
  const tracker = new InventoryTracker({ inventories, defer }, state.inventory, trackedOrder);
  const saved = state.isSaved
    ? {}
    : { saved: async (stop: AbortSignal) => await write(async () => await state.saveBegun(stop), stop) };
  const task = {
    delivery,
    tracker,
    claims,
    versions,
    ...saved,
    isOver: () => state.order !== facts,
    onLeft: (objects: readonly string[]) => onLeft?.(deployment, objects),
  };
  try {
    const seen = asksServer ? {} : { watch };
    const deps = {
      cluster,
      discovery,
      inventories: ports.inventories,
      own,
      ...seen,
      width: WIDTH,
      sleep,
      looksMs: LOOKS_MS,
    };
    const maskOf = (): ValueMask => maskFor(documents, secretPlaces);
    return maskedOutcome(await withoutSecrets(maskOf, async () => await carryOut(deps, task, signal)), maskOf);
  } finally {
    claims.settle(deployment, tracker.stored);
  }
}

/** A refusal quotes the rejected value, which may be secret. */
function maskedOutcome(outcome: Outcome, maskOf: () => ValueMask): Outcome {
  if (outcome.kind === 'observed') {
    const mask = maskOf();
    return { ...outcome, changes: outcome.changes.map((change) => maskedComparison(change, mask)) };
  }
  return 'message' in outcome ? { ...outcome, message: maskOf()(outcome.message) } : outcome;
}
