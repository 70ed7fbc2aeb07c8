import { deletionMessage } from './deletion-message.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { foreignManagers } from './field-conflict.ts';
import { appliedFields } from './field-set.ts';
import type { InventoryEntry } from './inventory.ts';
import { DEPLOYMENT_LABEL, FIELD_MANAGER, type KubeObject, keyText, type ObjectKey } from './kube-object.ts';

export interface ObjectSituation {
  readonly key: ObjectKey;
  readonly deployment: string;
  readonly policy: Pick<DeliveryPolicy, 'mode' | 'onConflict'>;
  /** The entry in this deployment's inventory. */
  readonly entry: InventoryEntry | undefined;
  readonly live: KubeObject | undefined;
  /** Another deployment whose inventory has the object. A label may be outdated; an inventory is not. */
  readonly other: string | undefined;
  /** Hash of what would be sent now. */
  readonly sent: string;
  /** Hash of our fields as they are in the cluster now. */
  readonly held: string | undefined;
}

export type ObjectStep =
  | { readonly kind: 'apply'; readonly origin: InventoryEntry['origin']; readonly force: boolean }
  /** No request: the object is as applied, and nothing else is desired. */
  | { readonly kind: 'keep' }
  /** Dry run; the difference is reported. */
  | { readonly kind: 'compare' }
  /** Removed from the inventory, not touched. */
  | { readonly kind: 'release' }
  /** The object is being deleted. Fields applied now would be lost with it. */
  | { readonly kind: 'wait'; readonly message: string }
  | { readonly kind: 'conflict'; readonly message: string };

/** Decides what to do with a desired object. */
export function nextStep(situation: ObjectSituation): ObjectStep {
  const { policy, entry, live, other, key } = situation;
  if (policy.mode === 'release') return { kind: 'release' };
  if (policy.mode === 'observe') return { kind: 'compare' };
  if (other !== undefined) {
    const how = 'Deliver it with mode: release there, or take it out of one of the two';
    return { kind: 'conflict', message: `${keyText(key)} belongs to the deployment ${other}. ${how}.` };
  }
  const leaving = live && deletionMessage(live);
  if (leaving !== undefined) return { kind: 'wait', message: `${keyText(key)} ${leaving}.` };
  const force = policy.onConflict === 'force';
  if (live === undefined) return { kind: 'apply', origin: 'created', force };
  if (entry !== undefined && isOurs(entry, live, situation.deployment)) {
    const isAsMade = entry.uid !== undefined && entry.sent === situation.sent && entry.held === situation.held;
    return isAsMade ? { kind: 'keep' } : { kind: 'apply', origin: entry.origin, force };
  }
  if (policy.onConflict !== 'fail') return { kind: 'apply', origin: 'adopted', force };
  return { kind: 'conflict', message: takenMessage(key, live) };
}

/**
 * Whether the live object is the one in the inventory, and so may be changed and pruned. An object that was deleted and
 * recreated by others is theirs. If we recreated it, it has our label and our fields, and those of no other manager.
 *
 * DECISION: if it cannot be determined who created an object, it is not ours. It may then stay behind when an agent
 * stopped while creating it; the opposite mistake would delete objects that we did not create.
 */
function isOurs(entry: InventoryEntry, live: KubeObject, deployment: string): boolean {
  if (entry.uid !== undefined && entry.uid === live.metadata.uid) return true;
  return live.metadata.labels?.[DEPLOYMENT_LABEL] === deployment && wasMadeByUs(live);
}

/**
 * For the answer to an apply that found no object before. If another client was faster, the object has its fields too,
 * and must be given up or adopted.
 */
export function wasMadeByUs(live: KubeObject): boolean {
  return Object.keys(appliedFields(live, FIELD_MANAGER)).length > 0 && foreignManagers(live).length === 0;
}

export type PruneStep =
  | { readonly kind: 'delete'; readonly uid: string }
  /** Nothing to delete; only the entry is removed. */
  | { readonly kind: 'forget' };

/**
 * Decides what to do with an object of the prune set. `live` is undefined only if the server said that there is none.
 */
export function pruneStep(entry: InventoryEntry, live: KubeObject | undefined, deployment: string): PruneStep {
  const uid = live?.metadata.uid;
  if (live === undefined || uid === undefined || !isOurs(entry, live, deployment)) return { kind: 'forget' };
  return { kind: 'delete', uid };
}

/** Message for an object that others created. */
export function takenMessage(key: ObjectKey, live: KubeObject): string {
  const managers = foreignManagers(live).map(({ manager }) => manager);
  const whose = managers.length === 0 ? '' : ` It is managed by ${managers.join(', ')}.`;
  const how = 'Set onConflict: adopt to take it over, or remove it';
  return `${keyText(key)} already exists, and no deployment created it.${whose} ${how}.`;
}
