import { isSameRef, type NamespacedName, type ResourceRef } from './resource-set.ts';

/** State of one resource of a set in a cluster. */
export interface ResourceEntry extends ResourceRef {
  readonly applied: boolean;
  /** Hash of the content tried last; absent if the content could not be read. */
  readonly hash?: string;
  readonly lastAppliedTime?: string;
}

export interface SetEntry {
  readonly setName: string;
  readonly resources: readonly ResourceEntry[];
}

/** The Kubernetes shape, because owner references of others are kept unchanged. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Everything that sets have applied to a cluster. A binding has the name of its cluster. */
export interface BindingContent {
  readonly clusterName: string;
  readonly owners: readonly Owner[];
  readonly entries: readonly SetEntry[];
}

export interface Binding extends NamespacedName, BindingContent {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
}

/** A change that one set makes to a binding. */
export type EntryChange =
  | {
      readonly kind: 'bound';
      readonly owner: Owner;
      /** New or changed entries. */
      readonly resources: readonly ResourceEntry[];
      /** Selects entries to remove. */
      readonly forget?: (resource: ResourceRef) => boolean;
    }
  | { readonly kind: 'left'; readonly setName: string };

const SET_KIND = 'ClusterResourceSet';
const ADDONS_PREFIX = 'addons.cluster.x-k8s.io/';

export function entryOf(binding: BindingContent | undefined, setName: string): SetEntry | undefined {
  return binding?.entries.find((entry) => entry.setName === setName);
}

export function resourceEntryOf(entry: SetEntry | undefined, ref: ResourceRef): ResourceEntry | undefined {
  return entry?.resources.find((resource) => isSameRef(resource, ref));
}

/** The API allows this many sets; the server refuses a binding with more as a whole. */
const MOST_SETS = 100;

/** The sets that fit into the binding. Sets that are already in it stay. */
export function withRoom(binding: BindingContent | undefined, setNames: readonly string[]): ReadonlySet<string> {
  const present = new Set(binding?.entries.map(({ setName }) => setName));
  const others = setNames.filter((name) => !present.has(name));
  return new Set([...present, ...others.slice(0, Math.max(0, MOST_SETS - present.size))]);
}

/** Whether the set has an entry or is an owner: both must be removed before the set is deleted. */
export function holds({ entries, owners }: BindingContent, setName: string): boolean {
  return entries.some((entry) => entry.setName === setName) || owners.some((owner) => isSet(owner, setName));
}

/**
 * The binding after all changes; the same object if nothing changed. Sets that are not named keep their entries,
 * including deleted sets and sets of other controllers.
 */
export function recordChanges(before: BindingContent, changes: readonly EntryChange[]): BindingContent {
  return changes.reduce(recordChange, before);
}

function recordChange(before: BindingContent, change: EntryChange): BindingContent {
  if (change.kind === 'left') {
    if (!holds(before, change.setName)) return before;
    return {
      ...before,
      owners: before.owners.filter((owner) => !isSet(owner, change.setName)),
      entries: before.entries.filter(({ setName }) => setName !== change.setName),
    };
  }
  const owners = withOwner(before.owners, change.owner);
  const entries = withEntry(before.entries, change);
  if (owners === before.owners && entries === before.entries) return before;
  return { ...before, owners, entries };
}

function withEntry(
  entries: readonly SetEntry[],
  { owner, resources, forget = () => false }: Extract<EntryChange, { kind: 'bound' }>,
): readonly SetEntry[] {
  const index = entries.findIndex(({ setName }) => setName === owner.name);
  const present = entries[index];
  if (present === undefined) return [...entries, { setName: owner.name, resources }];
  const kept = present.resources.filter((resource) => !forget(resource));
  if (kept.length === present.resources.length && resources.length === 0) return entries;
  const changed = kept.map((resource) => resources.find((each) => isSameRef(each, resource)) ?? resource);
  const added = resources.filter((resource) => !kept.some((each) => isSameRef(each, resource)));
  return entries.with(index, { ...present, resources: [...changed, ...added] });
}

/**
 * Replaces an owner of the same kind and name that was recreated or has another API version. Returns the same list if
 * the owner is already in it.
 */
export function withOwner(owners: readonly Owner[], owner: Owner): readonly Owner[] {
  const index = owners.findIndex((present) => isSet(present, owner.name));
  const present = owners[index];
  if (present === undefined) return [...owners, owner];
  return present.uid === owner.uid && present.apiVersion === owner.apiVersion ? owners : owners.with(index, owner);
}

/** Returns the same list if the owner is not in it. */
export function withoutOwner(owners: readonly Owner[], setName: string): readonly Owner[] {
  return owners.some((owner) => isSet(owner, setName)) ? owners.filter((owner) => !isSet(owner, setName)) : owners;
}

export function ownerFor({ name, uid }: { readonly name: string; readonly uid: string }): Owner {
  return { apiVersion: `${ADDONS_PREFIX}v1beta2`, kind: SET_KIND, name, uid };
}

function isSet({ apiVersion, kind, name }: Owner, setName: string): boolean {
  return name === setName && kind === SET_KIND && apiVersion.startsWith(ADDONS_PREFIX);
}

/** Old bindings name their cluster only as an owner. */
export function withClusterNamed(content: BindingContent): BindingContent {
  const owner = content.owners.find(isCluster);
  const clusterName = content.clusterName === '' ? (owner?.name ?? '') : content.clusterName;
  const owners = content.owners.filter((each) => !(isCluster(each) && each.name === clusterName));
  if (clusterName === content.clusterName && owners.length === content.owners.length) return content;
  return { ...content, clusterName, owners };
}

function isCluster({ apiVersion, kind }: Owner): boolean {
  return kind === 'Cluster' && apiVersion.startsWith('cluster.x-k8s.io/');
}
