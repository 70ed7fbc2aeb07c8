import type { KubeObject, OwnerReference } from '#kit/kube';
import type { Binding, Condition, DataObject, ResourceEntry, ResourceSet } from './crs-objects.ts';
import type { Objects } from './seen.ts';

/** The state at one moment, without the parts that differ from run to run. */
export interface Snapshot {
  readonly sets: Readonly<Record<string, object>>;
  readonly bindings: Readonly<Record<string, object>>;
  readonly resources: Readonly<Record<string, object>>;
  /** Objects on the workload clusters, by cluster. */
  readonly workload: Readonly<Record<string, object>>;
}

export interface Surroundings {
  /** Uids to replace with names: those of all sets that ever existed. */
  readonly uids: ReadonlyMap<string, string>;
  /** Generated names, and their stable replacements. */
  readonly names: Readonly<Record<string, string>>;
}

/** The management cluster's part of the snapshot. */
export function snapshotOf(objects: Objects, around: Surroundings): Omit<Snapshot, 'workload'> {
  const { configMaps, secrets } = objects;
  return renamed(
    {
      sets: byName(objects.sets, (set) => setShape(set, around)),
      bindings: byName(objects.bindings, (binding) => bindingShape(binding, around)),
      resources: {
        ...byName(configMaps, (it) => resourceShape(it, around), 'ConfigMap/'),
        ...byName(secrets, (it) => resourceShape(it, around), 'Secret/'),
      },
    },
    around,
  );
}

export function workloadSnapshotOf(objects: readonly DataObject[], around: Surroundings): object {
  const named = objects.map((it) => [`${it.kind}/${it.metadata.name}`, resourceShape(it, around)] as const);
  return renamed(Object.fromEntries(named), around);
}

function setShape({ metadata, spec, status }: ResourceSet, around: Surroundings): object {
  return {
    ...metaShape(metadata, around),
    spec,
    status: {
      observedGeneration: status?.observedGeneration,
      conditions: byType(status?.conditions),
      conditionOrder: orderOf(status?.conditions, ({ type }) => type),
      v1beta1: byType(status?.deprecated?.v1beta1?.conditions),
      v1beta1Order: orderOf(status?.deprecated?.v1beta1?.conditions, ({ type }) => type),
    },
  };
}

/** Lists of named things are keyed by name, so that one difference is one field; their order is a field of its own. */
function bindingShape({ metadata, spec: { clusterName, bindings } }: Binding, around: Surroundings): object {
  const entries = bindings?.map((it) => [it.clusterResourceSetName, it.resources?.map(entryShape)] as const);
  const order = orderOf(bindings, ({ clusterResourceSetName }) => clusterResourceSetName);
  return {
    ...metaShape(metadata, around),
    spec: { clusterName, bindings: entries && Object.fromEntries(entries), order },
  };
}

function entryShape(entry: ResourceEntry): object {
  return { ...entry, ...(entry.lastAppliedTime !== undefined && { lastAppliedTime: '<time>' }) };
}

/** Secrets are decoded, so that names inside them can be replaced. */
function resourceShape({ kind, metadata, type, data = {} }: DataObject, around: Surroundings): object {
  const decode = (value: string): string => (kind === 'Secret' ? Buffer.from(value, 'base64').toString() : value);
  const texts = Object.entries(data).map(([key, value]) => [key, decode(value)] as const);
  return { ...metaShape(metadata, around), ...(type !== undefined && { type }), data: Object.fromEntries(texts) };
}

function metaShape(metadata: KubeObject['metadata'], { uids }: Surroundings): object {
  const { labels, annotations, finalizers, ownerReferences, deletionTimestamp } = metadata;
  const owner = ({ uid, ...rest }: OwnerReference): object => ({ ...rest, uid: uids.get(uid) ?? '<unknown>' });
  return {
    labels,
    annotations,
    finalizers,
    deleting: deletionTimestamp !== undefined,
    owners: ownerReferences && Object.fromEntries(ownerReferences.map((it) => [`${it.kind}/${it.name}`, owner(it)])),
    ownerOrder: orderOf(ownerReferences, ({ kind, name }) => `${kind}/${name}`),
  };
}

function orderOf<T>(list: readonly T[] | undefined, name: (item: T) => string): string | undefined {
  return list?.map(name).join(', ');
}

function byType(conditions: readonly Condition[] | undefined): object | undefined {
  return conditions && Object.fromEntries(conditions.map((it) => [it.type, { ...it, lastTransitionTime: '<time>' }]));
}

function byName<T extends KubeObject>(
  objects: readonly T[],
  shape: (object: T) => object,
  prefix = '',
): Record<string, object> {
  return Object.fromEntries(objects.map((object) => [`${prefix}${object.metadata.name}`, shape(object)]));
}

/** Replaces names in keys, in values and inside messages. */
function renamed<T>(value: T, { names }: Surroundings): T {
  let text = JSON.stringify(value);
  for (const [made, called] of Object.entries(names)) text = text.replaceAll(made, called);
  return JSON.parse(text) as T;
}
