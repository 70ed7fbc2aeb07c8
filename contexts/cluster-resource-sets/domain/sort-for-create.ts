import type { JsonObject } from '#kit/std';

/**
 * Sorts by the name of the kind only, in the order of Cluster API. All other kinds follow in their original order.
 *
 * DECISION: "Endpoint" is a mistake in Cluster API; no kind has this name. It is kept, because sorting Endpoints
 * earlier would be an unintended difference.
 */
const FIRST = [
  'Namespace',
  'CustomResourceDefinition',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Secret',
  'ConfigMap',
  'ServiceAccount',
  'LimitRange',
  'Pod',
  'ReplicaSet',
  'Endpoint',
];

export function sortForCreate<T extends JsonObject>(objects: readonly T[]): readonly T[] {
  return objects.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ kind }: JsonObject): number {
  const place = typeof kind === 'string' ? FIRST.indexOf(kind) : -1;
  return place === -1 ? FIRST.length : place;
}
