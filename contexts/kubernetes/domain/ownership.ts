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
  /** What the inventory of this deployment has. */
  readonly entry: InventoryEntry | undefined;
  readonly live: KubeObject | undefined;
  /** The deployment in whose inventory it is, if that is another. A label may be old; an inventory is not. */
  readonly other: string | undefined;
  /** Of what would be sent now. */
  readonly sent: string;
  /** Of our fields as they are in the cluster now. */
  readonly held: string | undefined;
}

export type ObjectStep =
  | { readonly kind: 'apply'; readonly origin: InventoryEntry['origin']; readonly force: boolean }
  /** No request at all: it is as it was made, and nothing else is wanted. */
  | { readonly kind: 'keep' }
  /** A dry run, and what comes out of it is told. */
  | { readonly kind: 'compare' }
  /** Out of the inventory, and not touched. */
  | { readonly kind: 'release' }
  /** It is on its way out. What would be applied now would go with it. */
  | { readonly kind: 'wait'; readonly message: string }
  | { readonly kind: 'conflict'; readonly message: string };

/** What to do with an object that is wanted. */
export function nextStep(situation: ObjectSituation): ObjectStep {
  const { policy, entry, live, other, key } = situation;
  if (policy.mode === 'release') return { kind: 'release' };
  if (policy.mode === 'observe') return { kind: 'compare' };
  if (other !== undefined) {
    const how = 'Deliver it with mode: release there, or take it out of one of the two';
    return { kind: 'conflict', message: `${keyText(key)} is of the deployment ${other}. ${how}.` };
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
 * Whether the live object is the one that the inventory means, and so may be changed and pruned. An object that somebody
 * deleted and made anew is theirs, unless we made it: it then has our label and our fields, and those of nobody else.
 *
 * DECISION: where it cannot be told who made an object, it is not ours. It may then stay behind after an agent ended in the
 * middle of making it; the other mistake would delete what we did not make.
 */
function isOurs(entry: InventoryEntry, live: KubeObject, deployment: string): boolean {
  if (entry.uid !== undefined && entry.uid === live.metadata.uid) return true;
  return live.metadata.labels?.[DEPLOYMENT_LABEL] === deployment && wasMadeByUs(live);
}

/**
 * To be asked of the answer to an apply before which there was no object. Somebody may have been faster; then it has fields
 * of theirs, and is to be let go or adopted.
 */
export function wasMadeByUs(live: KubeObject): boolean {
  return Object.keys(appliedFields(live, FIELD_MANAGER)).length > 0 && foreignManagers(live).length === 0;
}

export type PruneStep =
  | { readonly kind: 'delete'; readonly uid: string }
  /** Nothing to delete; the entry goes. */
  | { readonly kind: 'forget' };

/** What to do with an object of the prune set. `live` is undefined only when the server said that there is none. */
export function pruneStep(entry: InventoryEntry, live: KubeObject | undefined, deployment: string): PruneStep {
  const uid = live?.metadata.uid;
  if (live === undefined || uid === undefined || !isOurs(entry, live, deployment)) return { kind: 'forget' };
  return { kind: 'delete', uid };
}

/** Of an object that somebody else made. */
export function takenMessage(key: ObjectKey, live: KubeObject): string {
  const managers = foreignManagers(live).map(({ manager }) => manager);
  const whose = managers.length === 0 ? '' : ` It is managed by ${managers.join(', ')}.`;
  const how = 'Say onConflict: adopt to take it over, or remove it';
  return `${keyText(key)} is there already, and no deployment put it there.${whose} ${how}.`;
}
