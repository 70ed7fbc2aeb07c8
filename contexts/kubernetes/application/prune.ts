import { deleteWaves } from '../domain/apply-waves.ts';
import { deletionMessage } from '../domain/deletion-message.ts';
import type { UnservedKind } from '../domain/desired-objects.ts';
import { type OtherInventories, otherHolder } from '../domain/held-by-others.ts';
import { type InventoryEntry, pruneSet } from '../domain/inventory.ts';
import { type KubeObject, keyText, type ObjectKey } from '../domain/kube-object.ts';
import { pruneStep } from '../domain/ownership.ts';
import { differInStatusAtMost } from '../domain/without-status.ts';
import type { CarryOutDeps, DeliveryTask } from './delivery-task.ts';
import { inParallel } from './in-parallel.ts';
import type { ClusterApi } from './ports.ts';
import { boundedList } from './summary.ts';

export interface PruneWork extends Pick<DeliveryTask, 'delivery' | 'tracker' | 'isOver' | 'onLeft'> {
  readonly desired: readonly { readonly key: ObjectKey }[];
  readonly unserved: readonly UnservedKind[];
}

type PruneDeps = Pick<CarryOutDeps, 'cluster' | 'inventories' | 'watch' | 'own' | 'width' | 'sleep' | 'looksMs'>;

/** How often an object that changes before it is deleted is read again. */
const LOOKS = 3;
/** How often a deletion is sent again because the status of the object was written in between. */
const ATTEMPTS = 20;

/**
 * Deletes our objects that are no longer desired, wave after wave. Objects that another inventory holds are left. Returns
 * what blocks the current wave.
 */
export async function prune(deps: PruneDeps, work: PruneWork, signal: AbortSignal): Promise<readonly string[]> {
  const { tracker, isOver } = work;
  const leaving = pruneSet({ ...work, entries: tracker.entries });
  for (const wave of leaving.length === 0 ? [] : deleteWaves(leaving)) {
    const held: string[] = [];
    const left: string[] = [];
    let open: readonly InventoryEntry[] = wave;
    for (let look = 1; open.length > 0 && look <= LOOKS && !isOver(); look += 1) {
      open = await pruneOnce(deps, { ...work, open, isFresh: look > 1, held, left }, signal);
    }
    held.push(...open.map(({ key }) => `${keyText(key)} keeps changing`));
    if (left.length > 0) work.onLeft?.(boundedList(left));
    if (held.length > 0 || isOver()) return held;
  }
  return [];
}

interface PruneLook extends PruneWork {
  readonly open: readonly InventoryEntry[];
  /** Ask the server, not the watch. */
  readonly isFresh: boolean;
  readonly held: string[];
  readonly left: string[];
}

interface OurObject {
  readonly entry: InventoryEntry;
  readonly live: KubeObject;
  readonly uid: string;
}

/**
 * First the objects are read, then the inventories, and then the objects are deleted as they were read. Another agent
 * records an object before it takes it over, and that changes the object: so either its inventory is seen, or the deletion
 * meets another version. Returns what has to be looked at again.
 */
async function pruneOnce(deps: PruneDeps, look: PruneLook, signal: AbortSignal): Promise<readonly InventoryEntry[]> {
  const { tracker, isOver, delivery, open, held, left } = look;
  const ours: OurObject[] = [];
  await inParallel(open, deps.width, async (entry) => {
    if (isOver()) return;
    const found = await ourObject(deps, { entry, deployment: delivery.deployment, isFresh: look.isFresh }, signal);
    if (found === undefined) tracker.forget(entry.key);
    else ours.push(found);
  });
  if (ours.length === 0 || isOver()) return [];
  const others = await deps.inventories.others(delivery.deployment, signal);
  const changed: InventoryEntry[] = [];
  await inParallel(ours, deps.width, async (its) => {
    if (isOver()) return;
    const end = await removed(deps, { ...its, others }, signal);
    if (end.kind === 'changed') changed.push(its.entry);
    else if (end.kind === 'blocked') held.push(end.message);
    else tracker.forget(its.entry.key);
    if (end.kind === 'left') left.push(end.message);
  });
  return changed;
}

/** The object of an entry, if there still is one, and it is ours to delete. */
async function ourObject(
  deps: PruneDeps,
  { entry, deployment, isFresh }: { entry: InventoryEntry; deployment: string; isFresh: boolean },
  signal: AbortSignal,
): Promise<OurObject | undefined> {
  const { own, cluster } = deps;
  // The agent's own objects are only released: deleting them would cut off the target.
  if (own !== undefined && entry.key.namespace === own.namespace) return undefined;
  const live = isFresh ? await cluster.get(entry.key, signal) : await present(deps, entry, signal);
  const step = pruneStep(entry, live, deployment);
  return live === undefined || step.kind === 'forget' ? undefined : { entry, live, uid: step.uid };
}

interface Removal extends OurObject {
  readonly others: OtherInventories;
}

type Removed =
  | { readonly kind: 'gone' }
  /** Another deployment or agent holds it. */
  | { readonly kind: 'left'; readonly message: string }
  /** Since it was read. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'blocked'; readonly message: string };

const GONE: Removed = { kind: 'gone' };

async function removed(deps: PruneDeps, { entry, live, uid, others }: Removal, signal: AbortSignal): Promise<Removed> {
  const { cluster, sleep, looksMs } = deps;
  const holder = otherHolder(entry, live, others);
  if (holder !== undefined) return { kind: 'left', message: `${keyText(entry.key)}: held by ${holder}` };
  let left: KubeObject | undefined = live;
  if (live.metadata.deletionTimestamp === undefined) {
    const answer = await deleteAsRead(cluster, { entry, live, uid }, signal);
    if (answer === 'changed') return { kind: 'changed' };
    left = answer;
  }
  for (const ms of looksMs) {
    if (left === undefined) return GONE;
    await sleep(ms, signal);
    left = await present(deps, entry, signal);
    if (left?.metadata.uid !== uid) return GONE;
  }
  if (left === undefined) return GONE;
  return { kind: 'blocked', message: `${keyText(entry.key)} ${deletionMessage(left) ?? 'still exists'}` };
}

/**
 * Deletes the version that was read, or a later one that differs in its status alone: taking an object over changes more.
 * So a controller that writes the status all the time does not keep the object from being deleted.
 */
async function deleteAsRead(
  cluster: ClusterApi,
  { entry: { key }, live, uid }: OurObject,
  signal: AbortSignal,
): Promise<KubeObject | 'changed' | undefined> {
  let meant: KubeObject = live;
  for (let attempt = 1; ; attempt += 1) {
    const { resourceVersion } = meant.metadata;
    const answer = await cluster.delete(key, { uid, resourceVersion }, signal);
    if (answer !== 'changed' || attempt === ATTEMPTS) return answer;
    const now = await cluster.get(key, signal);
    if (now?.metadata.uid !== uid) return undefined;
    if (!differInStatusAtMost(now, live)) return 'changed';
    meant = now;
  }
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
