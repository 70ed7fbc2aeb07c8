import { groupOf, identityOf, type ObjectKey } from './kube-object.ts';
import type { UnservedKind } from './wanted-objects.ts';

/** An object that is there because of a deployment. */
export interface InventoryEntry {
  readonly key: ObjectKey;
  /** `undefined` as long as it was only about to be made: an agent that ended then left an object, or none. */
  readonly uid?: string | undefined;
  readonly origin: 'created' | 'adopted';
  /** Of what was sent. */
  readonly sent: string;
  /** Of what the server made of it, our fields only: as long as a live object has the same there is nothing to do. */
  readonly held?: string | undefined;
}

/** What is known of one deployment in one cluster. It is kept there, and outlives the agent and the content. */
export interface ApplySetInventory {
  readonly deployment: string;
  /** The last order that was taken; without a hash it was a removal. */
  readonly seen: { readonly revision: number; readonly hash?: string | undefined };
  /** What was applied whole. */
  readonly held?: { readonly revision: number; readonly hash: string } | undefined;
  readonly entries: readonly InventoryEntry[];
}

export interface PruneQuestion {
  readonly entries: readonly InventoryEntry[];
  readonly wanted: readonly { readonly key: ObjectKey }[];
  readonly unserved: readonly UnservedKind[];
}

/**
 * What is ours and no longer wanted. Kinds that are wanted and not served now are left alone: which of them are
 * wanted is not known until they are.
 */
export function pruneSet({ entries, wanted, unserved }: PruneQuestion): InventoryEntry[] {
  const stays = new Set(wanted.map(({ key }) => identityOf(key)));
  const inDoubt = new Set(unserved.map(kindText));
  return entries.filter(({ key }) => !stays.has(identityOf(key)) && !inDoubt.has(kindText(key)));
}

function kindText({ apiVersion, kind }: UnservedKind): string {
  return `${groupOf(apiVersion)}/${kind}`;
}
