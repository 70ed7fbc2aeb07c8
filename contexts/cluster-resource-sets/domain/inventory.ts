/** An object in a cluster, as recorded in an inventory. Without a uid it is unknown whether we created it. */
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
 * Inventory to save before anything is created: everything recorded so far, and everything wanted. An object created
 * just before the process ended is then recorded. Because it is unknown whether it is ours, it is never deleted.
 */
export function announced({ items }: ResourceSetInventory, wanted: readonly InventoryItem[]): ResourceSetInventory {
  const known = new Set(items.map(idOf));
  const added = wanted.filter((item) => !known.has(idOf(item)));
  return added.length === 0 ? { items } : { items: [...items, ...added].toSorted(byId) };
}

/** Objects that left the manifest and that we created. Objects that others created or recreated must not be deleted. */
export function toPrune({ items }: ResourceSetInventory, wanted: readonly InventoryItem[]): readonly InventoryItem[] {
  const ids = new Set(wanted.map(idOf));
  return items.filter((item) => item.uid !== undefined && !ids.has(idOf(item)));
}

/** Inventory after everything is done: the wanted objects, with the uid of those created now or earlier. */
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
  // Versions of a group are views of the same object.
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
