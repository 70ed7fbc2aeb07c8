import type { OrderOrigin } from '#protocol/delivery';
import type { UnservedKind } from './desired-objects.ts';
import { groupOf, identityOf, type ObjectKey } from './kube-object.ts';

/** An object that a deployment created or adopted. */
export interface InventoryEntry {
  readonly key: ObjectKey;
  /** `undefined` until the object was written: an agent that stopped before may or may not have created it. */
  readonly uid?: string | undefined;
  readonly origin: 'created' | 'adopted';
  /** Hash of what was sent. */
  readonly sent: string;
  /**
   * Hash of our fields as the server returned them. As long as the live object has the same hash, there is nothing to
   * do.
   */
  readonly held?: string | undefined;
}

/** State of one deployment in one cluster. It is stored there, and outlives the agent and the content. */
export interface ApplySetInventory {
  readonly deployment: string;
  /** The last accepted order; a removal has no hash. */
  readonly seen: {
    readonly revision: number;
    readonly hash?: string | undefined;
    /** The platform that gave it; absent in records of earlier releases. */
    readonly origin?: OrderOrigin | undefined;
  };
  /** The revision that was applied completely. */
  readonly held?: { readonly revision: number; readonly hash: string } | undefined;
  readonly entries: readonly InventoryEntry[];
}

export interface PruneQuestion {
  readonly entries: readonly InventoryEntry[];
  readonly desired: readonly { readonly key: ObjectKey }[];
  readonly unserved: readonly UnservedKind[];
}

/**
 * Objects that are ours and no longer desired. Kinds that are desired but not served now are left alone: which of their
 * objects are desired is unknown until they are served.
 */
export function pruneSet({ entries, desired, unserved }: PruneQuestion): InventoryEntry[] {
  const stays = new Set(desired.map(({ key }) => identityOf(key)));
  const inDoubt = new Set(unserved.map(kindText));
  return entries.filter(({ key }) => !stays.has(identityOf(key)) && !inDoubt.has(kindText(key)));
}

function kindText({ apiVersion, kind }: UnservedKind): string {
  return `${groupOf(apiVersion)}/${kind}`;
}
