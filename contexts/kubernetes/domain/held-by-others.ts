import type { ApplySetInventory, InventoryEntry } from './inventory.ts';
import { DEPLOYMENT_LABEL, groupOf, identityOf, type KubeObject, type ObjectKey } from './kube-object.ts';

/** The inventories of a cluster but for one: those of other deployments, and those that other agents keep. */
export interface OtherInventories {
  readonly records: readonly ApplySetInventory[];
  /** Deployments whose inventory cannot be read. */
  readonly corrupt: readonly string[];
}

/**
 * Tells which other deployment holds an object that is about to be deleted, or `undefined`. A namespace, or a
 * definition, is also held by the objects in it, because they are deleted with it. An unreadable inventory holds what
 * carries the label of its deployment.
 */
export function otherHolder(
  { key }: Pick<InventoryEntry, 'key'>,
  live: KubeObject,
  { records, corrupt }: OtherInventories,
): string | undefined {
  const label = live.metadata.labels?.[DEPLOYMENT_LABEL];
  if (label !== undefined && corrupt.includes(label)) return label;
  return records.find(({ entries }) => entries.some((entry) => isHeld(entry, key, live)))?.deployment;
}

/** An entry with another uid is about an object that no longer exists. */
function isHeld(entry: InventoryEntry, key: ObjectKey, live: KubeObject): boolean {
  if (identityOf(entry.key) === identityOf(key)) return entry.uid === undefined || entry.uid === live.metadata.uid;
  return isWithin(entry.key, key, live);
}

function isWithin(inner: ObjectKey, outer: ObjectKey, live: KubeObject): boolean {
  const kind = `${groupOf(outer.apiVersion)}/${outer.kind}`;
  if (kind === '/Namespace') return inner.namespace === outer.name;
  if (kind !== 'apiextensions.k8s.io/CustomResourceDefinition') return false;
  // The name of a definition is `<plural>.<group>`. The kind is known from the whole object only.
  const group = outer.name.slice(outer.name.indexOf('.') + 1);
  const { spec } = live as { readonly spec?: { readonly names?: { readonly kind?: string } } };
  return groupOf(inner.apiVersion) === group && (spec?.names?.kind ?? inner.kind) === inner.kind;
}
