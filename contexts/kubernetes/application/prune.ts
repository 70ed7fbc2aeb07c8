import { deleteWaves } from '../domain/apply-waves.ts';
import { deletionMessage } from '../domain/deletion-message.ts';
import type { UnservedKind } from '../domain/desired-objects.ts';
import { type OtherInventories, otherHolder } from '../domain/held-by-others.ts';
import { type InventoryEntry, pruneSet } from '../domain/inventory.ts';
import { type KubeObject, keyText, type ObjectKey } from '../domain/kube-object.ts';
import { pruneStep } from '../domain/ownership.ts';
import type { CarryOutDeps, DeliveryTask } from './delivery-task.ts';
import { inParallel } from './in-parallel.ts';
import { boundedList } from './summary.ts';

export interface PruneWork extends Pick<DeliveryTask, 'delivery' | 'tracker' | 'isOver' | 'onLeft'> {
  readonly desired: readonly { readonly key: ObjectKey }[];
  readonly unserved: readonly UnservedKind[];
}

type PruneDeps = Pick<CarryOutDeps, 'cluster' | 'inventories' | 'watch' | 'own' | 'width' | 'sleep' | 'looksMs'>;

/**
 * Deletes our objects that are no longer desired, wave after wave. Objects that another inventory holds are left: the
 * inventories are read again before each wave. Returns what blocks the current wave.
 */
export async function prune(deps: PruneDeps, work: PruneWork, signal: AbortSignal): Promise<readonly string[]> {
  const { tracker, isOver, delivery } = work;
  const { deployment } = delivery;
  const leaving = pruneSet({ ...work, entries: tracker.entries });
  for (const wave of leaving.length === 0 ? [] : deleteWaves(leaving)) {
    const held: string[] = [];
    const left: string[] = [];
    const others = await deps.inventories.others(deployment, signal);
    await inParallel(wave, deps.width, async (entry) => {
      if (isOver()) return;
      const end = await removed(deps, { entry, deployment, others }, signal);
      if (end.kind === 'blocked') held.push(end.message);
      else tracker.forget(entry.key);
      if (end.kind === 'left') left.push(end.message);
    });
    if (left.length > 0) work.onLeft?.(boundedList(left));
    if (held.length > 0 || isOver()) return held;
  }
  return [];
}

interface Removal {
  readonly entry: InventoryEntry;
  readonly deployment: string;
  readonly others: OtherInventories;
}

type Removed =
  /** Deleted, or never ours. */
  | { readonly kind: 'gone' }
  /** Another deployment or agent holds it. */
  | { readonly kind: 'left'; readonly message: string }
  | { readonly kind: 'blocked'; readonly message: string };

const GONE: Removed = { kind: 'gone' };

async function removed(deps: PruneDeps, { entry, deployment, others }: Removal, signal: AbortSignal): Promise<Removed> {
  const { cluster, own, sleep, looksMs } = deps;
  // The agent's own objects are only released: deleting them would cut off the target.
  if (own !== undefined && entry.key.namespace === own.namespace) return GONE;
  let live = await present(deps, entry, signal);
  const step = pruneStep(entry, live, deployment);
  if (live === undefined || step.kind === 'forget') return GONE;
  const holder = otherHolder(entry, live, others);
  if (holder !== undefined) return { kind: 'left', message: `${keyText(entry.key)}: held by ${holder}` };
  if (live.metadata.deletionTimestamp === undefined) live = await cluster.delete(entry.key, step.uid, signal);
  for (const ms of looksMs) {
    if (live === undefined) return GONE;
    await sleep(ms, signal);
    live = await present(deps, entry, signal);
    if (live?.metadata.uid !== step.uid) return GONE;
  }
  if (live === undefined) return GONE;
  return { kind: 'blocked', message: `${keyText(entry.key)} ${deletionMessage(live) ?? 'still exists'}` };
}

/** If the watch still shows this object, no request is needed. */
async function present(
  { cluster, watch }: PruneDeps,
  { key, uid }: InventoryEntry,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const seen = watch?.observedObject(key)?.object;
  return seen?.metadata.uid !== undefined && seen.metadata.uid === uid ? seen : await cluster.get(key, signal);
}
