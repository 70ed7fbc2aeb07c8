/** An object in a cluster, as an inventory knows it. Without a uid, one that may or may not have been made by us. */
export interface InventoryItem {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

export interface ResourceSetInventory {
  readonly items: readonly InventoryItem[];
}

/**
 * What has to be known before anything is made: all that was there, and all that is wanted. An object that was made just
 * before the process ended is then in it; whether it was ours is not known, so that it stays where it is.
 */
export function announced({ items }: ResourceSetInventory, wanted: readonly InventoryItem[]): ResourceSetInventory {
  const known = new Set(items.map(idOf));
  const added = wanted.filter((item) => !known.has(idOf(item)));
  return added.length === 0 ? { items } : { items: [...items, ...added].toSorted(byId) };
}

/** Those that left the manifest and that were made by us. What others made, or made anew, is not ours to delete. */
export function toPrune({ items }: ResourceSetInventory, wanted: readonly InventoryItem[]): readonly InventoryItem[] {
  const ids = new Set(wanted.map(idOf));
  return items.filter((item) => item.uid !== undefined && !ids.has(idOf(item)));
}

/** After all of it: what is wanted, with the uid of what was made now or earlier. */
export function settled(
  { items }: ResourceSetInventory,
  wanted: readonly InventoryItem[],
  made: ReadonlyMap<string, string>,
): ResourceSetInventory {
  const before = new Map(items.map((item) => [idOf(item), item.uid]));
  const unique = new Map(wanted.map((item) => [idOf(item), item]));
  return {
    items: [...unique.entries()].map(([id, item]) => withUid(item, made.get(id) ?? before.get(id))).toSorted(byId),
  };
}

export function idOf({ apiVersion, kind, namespace = '', name }: InventoryItem): string {
  // Versions of a group are views on the same object.
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return `${group}/${kind}/${namespace}/${name}`;
}

export function sameInventory(a: ResourceSetInventory, b: ResourceSetInventory): boolean {
  if (a.items.length !== b.items.length) return false;
  return a.items.every((item, index) => {
    const other = b.items[index];
    return other !== undefined && idOf(item) === idOf(other) && item.uid === other.uid;
  });
}

function withUid(item: InventoryItem, known: string | undefined): InventoryItem {
  const { uid: _, ...rest } = item;
  return known === undefined ? rest : { ...rest, uid: known };
}

function byId(a: InventoryItem, b: InventoryItem): number {
  const [left, right] = [idOf(a), idOf(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
