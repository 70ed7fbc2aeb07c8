import { groupOf, keyText, type ObjectKey } from './kube-object.ts';

/** Applied in this order. Objects of one wave are applied concurrently. */
export const APPLY_WAVES = ['namespaces', 'definitions', 'foundations', 'workloads', 'admission'] as const;
export type ApplyWaveName = (typeof APPLY_WAVES)[number];

export interface ApplyWave<T> {
  readonly name: ApplyWaveName;
  /** The next wave waits until these are established: before that the server does not know their kinds. */
  readonly waitsUntilEstablished: boolean;
  readonly objects: readonly T[];
}

/** The role of an object within its deployment. */
type Role = 'namespace' | 'definition' | 'foundation' | 'workload' | 'custom' | 'aggregation' | 'webhook';

const WAVE_OF: Readonly<Record<Role, ApplyWaveName>> = {
  namespace: 'namespaces',
  definition: 'definitions',
  foundation: 'foundations',
  workload: 'workloads',
  custom: 'workloads',
  aggregation: 'admission',
  webhook: 'admission',
};

/**
 * Not the exact reverse of the apply order. Webhooks go first, otherwise they refuse later deletions once their Pods
 * are gone. Then custom objects, while the controllers that remove their finalizers still run.
 */
const DELETE_WAVES: readonly (readonly Role[])[] = [
  ['webhook'],
  ['custom'],
  ['aggregation', 'workload'],
  ['foundation'],
  ['definition'],
  ['namespace'],
];

const ROLES: Readonly<Record<string, Role>> = {
  '/Namespace': 'namespace',
  'apiextensions.k8s.io/CustomResourceDefinition': 'definition',
  'apiregistration.k8s.io/APIService': 'aggregation',
  '/ServiceAccount': 'foundation',
  '/ConfigMap': 'foundation',
  '/Secret': 'foundation',
  '/ResourceQuota': 'foundation',
  '/LimitRange': 'foundation',
  '/PersistentVolume': 'foundation',
  'scheduling.k8s.io/PriorityClass': 'foundation',
  'storage.k8s.io/StorageClass': 'foundation',
  'node.k8s.io/RuntimeClass': 'foundation',
  'networking.k8s.io/IngressClass': 'foundation',
  'networking.k8s.io/NetworkPolicy': 'foundation',
};

const ROLE_OF_GROUP: Readonly<Record<string, Role>> = {
  'rbac.authorization.k8s.io': 'foundation',
  'admissionregistration.k8s.io': 'webhook',
};

/** Groups that every API server has. Other groups that end in k8s.io count as custom. */
const BUILT_IN_GROUPS = new Set([
  '',
  'apps',
  'autoscaling',
  'batch',
  'policy',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** Leaves out empty waves. Within a wave objects are sorted by name, regardless of the input order. */
export function applyWaves<T extends { readonly key: ObjectKey }>(objects: readonly T[]): ApplyWave<T>[] {
  return APPLY_WAVES.map((name) => ({
    name,
    waitsUntilEstablished: name === 'definitions',
    objects: inOrder(objects.filter(({ key }) => WAVE_OF[roleOf(key)] === name)),
  })).filter((wave) => wave.objects.length > 0);
}

/** The next wave starts once all objects of the previous one are gone. */
export function deleteWaves<T extends { readonly key: ObjectKey }>(objects: readonly T[]): T[][] {
  return DELETE_WAVES.map((roles) => inOrder(objects.filter(({ key }) => roles.includes(roleOf(key))))).filter(
    (wave) => wave.length > 0,
  );
}

/** Whether the kind is not built into API servers. */
export function isCustom({ apiVersion }: Pick<ObjectKey, 'apiVersion'>): boolean {
  const group = groupOf(apiVersion);
  return !BUILT_IN_GROUPS.has(group) && ROLE_OF_GROUP[group] === undefined;
}

/**
 * Other objects may belong to it, and later waves must wait for them: the Pods of a workload still use its accounts.
 */
export function hasDependents(key: ObjectKey): boolean {
  return ['workload', 'custom'].includes(roleOf(key));
}

function roleOf(key: ObjectKey): Role {
  const group = groupOf(key.apiVersion);
  return ROLES[`${group}/${key.kind}`] ?? ROLE_OF_GROUP[group] ?? (isCustom(key) ? 'custom' : 'workload');
}

function inOrder<T extends { readonly key: ObjectKey }>(objects: readonly T[]): T[] {
  return objects.toSorted((one, two) => (keyText(one.key) < keyText(two.key) ? -1 : 1));
}
