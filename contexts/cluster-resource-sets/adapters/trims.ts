import { hash } from 'node:crypto';
import type { KubeObject } from '#kit/kube';
import { dropManagedFields, type Trim } from '#kit/kube/cache';
import { normaliseData } from '../domain/normalise-data.ts';
import { SECRET_TYPE } from '../domain/resource-set.ts';
import type { ClusterObject, ResourceObject } from './kinds.ts';

/** A ConfigMap or Secret as cached: its metadata and hash, and its data if it is small or needed. */
export interface KeptResource extends KubeObject {
  readonly type?: string;
  /** Hash of its content; absent if it has none. */
  readonly hash?: string;
  /** Absent if it is only fetched when needed. */
  readonly data?: Readonly<Record<string, string>>;
}

/** Most ConfigMaps of a cluster are used by no set. Their data is cached only if it is small. */
const SMALL_CHARS = 4_096;

export function trimCluster(cluster: ClusterObject): ClusterObject {
  const { apiVersion, kind, metadata, spec = {}, status = {} } = dropManagedFields(cluster);
  const { infrastructureRef, topology } = spec;
  const isProvisioned = status.initialization?.infrastructureProvisioned;
  return {
    apiVersion,
    kind,
    metadata,
    spec: { ...(infrastructureRef && { infrastructureRef }), ...(topology && { topology: {} }) },
    status: isProvisioned === undefined ? {} : { initialization: { infrastructureProvisioned: isProvisioned } },
  };
}

/** `isNamed` tells whether a set lists the object among its resources. */
export function resourceTrim(kind: string, isNamed: (object: KubeObject) => boolean): Trim<KeptResource> {
  return (object: ResourceObject): KeptResource => {
    const { metadata, type, data } = object;
    const { name = '', namespace = '', uid = '', resourceVersion = '', ownerReferences } = metadata;
    const isKept = data !== undefined && isUsable(kind, type) && (isNamed(object) || sizeOf(data) <= SMALL_CHARS);
    return {
      apiVersion: 'v1',
      kind,
      metadata: { name, namespace, uid, resourceVersion, ...(ownerReferences && { ownerReferences }) },
      ...(type !== undefined && { type }),
      ...(data !== undefined && isUsable(kind, type) && { hash: hashOf(normaliseData(kind, data)) }),
      ...(isKept && { data }),
    };
  };
}

export function isUsable(kind: string, type: string | undefined): boolean {
  return kind !== 'Secret' || type === SECRET_TYPE;
}

/** `sha256:<hex>` of all values, concatenated. */
export function hashOf(values: readonly Uint8Array[]): string {
  return `sha256:${hash('sha256', Buffer.concat(values), 'hex')}`;
}

function sizeOf(data: Readonly<Record<string, string>>): number {
  return Object.values(data).reduce((sum, value) => sum + value.length, 0);
}
