import { deleteWaves } from '../domain/apply-waves.ts';
import { deletionMessage } from '../domain/deletion-message.ts';
import type { UnservedKind } from '../domain/desired-objects.ts';
import { type InventoryEntry, pruneSet } from '../domain/inventory.ts';
import { type KubeObject, keyText, type ObjectKey } from '../domain/kube-object.ts';
import { pruneStep } from '../domain/ownership.ts';
import type { CarryOutDeps, DeliveryTask } from './delivery-task.ts';
import { inParallel } from './in-parallel.ts';

export interface PruneWork extends Pick<DeliveryTask, 'delivery' | 'tracker' | 'isOver'> {
  readonly desired: readonly { readonly key: ObjectKey }[];
  readonly unserved: readonly UnservedKind[];
}

type PruneDeps = Pick<CarryOutDeps, 'cluster' | 'watch' | 'own' | 'width' | 'sleep' | 'looksMs'>;

/** Deletes our objects that are no longer desired, wave after wave. Returns what blocks the current wave. */
export async function prune(deps: PruneDeps, work: PruneWork, signal: AbortSignal): Promise<readonly string[]> {
  const { tracker, isOver } = work;
  for (const wave of deleteWaves(pruneSet({ ...work, entries: tracker.entries }))) {
    const held: string[] = [];
    await inParallel(wave, deps.width, async (entry) => {
      if (isOver()) return;
      const why = await removed(deps, { entry, deployment: work.delivery.deployment }, signal);
      if (why === undefined) tracker.forget(entry.key);
      else held.push(why);
    });
    if (held.length > 0 || isOver()) return held;
  }
  return [];
}

interface Removal {
  readonly entry: InventoryEntry;
  readonly deployment: string;
}

/** Returns what blocks the deletion; `undefined` once the object is gone, or if it was never ours. */
async function removed(
  deps: PruneDeps,
  { entry, deployment }: Removal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { cluster, own, sleep, looksMs } = deps;
  // The agent's own objects are only released: deleting them would cut off the target.
  if (own !== undefined && entry.key.namespace === own.namespace) return undefined;
  let live = await present(deps, entry, signal);
  const step = pruneStep(entry, live, deployment);
  if (step.kind === 'forget') return undefined;
  if (live?.metadata.deletionTimestamp === undefined) live = await cluster.delete(entry.key, step.uid, signal);
  for (const ms of looksMs) {
    if (live === undefined) return undefined;
    await sleep(ms, signal);
    live = await present(deps, entry, signal);
    if (live?.metadata.uid !== step.uid) return undefined;
  }
  return live && `${keyText(entry.key)} ${deletionMessage(live) ?? 'still exists'}`;
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
