import type { Holding, Inventory } from '#protocol/delivery';
import type { RolloutEvent } from '../rollout/machine/rollout-event.ts';
import type { DeploymentTarget } from './deployment-target.ts';
import { type RowChange, reduceReport } from './reduce-report.ts';
import { reduceAhead } from './status/revision-ahead.ts';

/** A target connected or disconnected. After a reconnect its health is unknown until its agent reports it again. */
export function reduceConnection(row: DeploymentTarget, isOnline: boolean, now: number): RowChange {
  if (row.isOnline === isOnline) return { row, rolloutEvents: [] };
  const { target } = row;
  const rolloutEvents: readonly RolloutEvent[] = [{ kind: 'connectionChanged', target, isOnline }];
  const health = isOnline ? ({ health: 'Unknown', healthMessage: '' } as const) : {};
  return { row: { ...row, ...health, isOnline, updateTime: now }, rolloutEvents };
}

export interface InventoryChange extends RowChange {
  /** The target lacks content that it should have, or is another installation. */
  readonly isRebuilt: boolean;
}

/** The revisions that an agent can have: the last one issued here, and the highest one it is believed to have seen. */
export interface GivenRevisions {
  readonly given: number;
  readonly believed: number;
}

/**
 * Applies what an inventory says about one deployment, which may be nothing. An inventory also means that the target is
 * online.
 */
export function reduceInventory(
  row: DeploymentTarget,
  inventory: Inventory,
  { given, believed }: GivenRevisions,
  now: number,
): InventoryChange {
  const holding = inventory.holdings.find(({ deployment }) => deployment === row.deployment);
  const back = reduceConnection(row, true, now);
  const here = settled(back.row ?? row, inventory, now);
  if (holding !== undefined && holding.revision > believed) {
    const ahead = reduceAhead(here, holding.revision, given, now);
    return { row: ahead.row, rolloutEvents: back.rolloutEvents, isRebuilt: false };
  }
  const isOther = row.instance !== undefined && row.instance !== inventory.instance;
  const change = holding === undefined ? reduceAbsence(here, isOther, now) : reduceHolding(here, holding, now);
  const rolloutEvents = [...back.rolloutEvents, ...change.rolloutEvents];
  const isRebuilt = row.isPlaced && row.applied !== undefined && change.row?.applied?.hash !== row.applied.hash;
  // Content that changed because an order ended was asked for, and is no loss.
  const isEnd = row.order !== undefined && change.row?.order === undefined;
  return { row: change.row, rolloutEvents, isRebuilt: isRebuilt && !isEnd };
}

function settled(row: DeploymentTarget, { instance }: Inventory, now: number): DeploymentTarget {
  return row.instance === instance ? row : { ...row, instance, updateTime: now };
}

/** An order accepted by an installation that is gone has to be sent to the new one. */
function reduceAbsence(row: DeploymentTarget, isOther: boolean, now: number): RowChange {
  const { order, applied, target } = row;
  const isLost = isOther && order?.state === 'accepted';
  if (order?.kind === 'remove' && (applied !== undefined || order.state !== 'queued')) {
    return reduceReport(row, { kind: 'removed', target, deployment: row.deployment, revision: order.revision }, now);
  }
  // A rollout may be about to remove it: without its row there is no order to send, so the rollout is told.
  if (!row.isPlaced && order === undefined) return { row: undefined, rolloutEvents: [{ kind: 'removed', target }] };
  if (applied === undefined && !isLost) return { row, rolloutEvents: [] };
  const bare = { ...row, applied: undefined, health: 'Unknown', healthRevision: 0, healthMessage: '' } as const;
  const lost = isLost ? { order: { ...order, state: 'sent' } as const } : {};
  const rolloutEvents: readonly RolloutEvent[] = isLost ? [{ kind: 'connectionChanged', target, isOnline: true }] : [];
  return { row: { ...bare, ...lost, drift: [], updateTime: now }, rolloutEvents };
}

function reduceHolding(row: DeploymentTarget, holding: Holding, now: number): RowChange {
  const { revision, hash, health, message } = holding;
  const about = { target: row.target, deployment: row.deployment, revision };
  const { applied } = row;
  const isSame = applied !== undefined && applied.hash === hash;
  // The inventory is the truth about a target, even when it is older than the last report.
  const known = !isSame && applied !== undefined && applied.revision > revision ? { ...row, applied: undefined } : row;
  const has =
    isSame && row.order === undefined
      ? { row, rolloutEvents: [] }
      : reduceReport(known, { kind: 'applied', hash, ...about }, now);
  const next = has.row ?? row;
  const well = reduceReport(next, { kind: 'health', health, message, ...about }, now);
  return { row: well.row, rolloutEvents: [...has.rolloutEvents, ...well.rolloutEvents] };
}
