import { hash } from 'node:crypto';
import type { KubeObject } from '#kit/kube';
import { dropManagedFields, type Trim } from '#kit/kube/cache';
import { normaliseData } from '../domain/normalise-data.ts';
import { SECRET_TYPE } from '../domain/resource-set.ts';
import type { ClusterObject, ResourceObject } from './kinds.ts';

/** A ConfigMap or Secret as it is kept: what it is and has, and where that is small or needed, what it says. */
export interface KeptResource extends KubeObject {
  readonly type?: string;
  /** Of its content; absent when it has none. */
  readonly hash?: string;
  /** Absent when it is asked for only when it is needed. */
  readonly data?: Readonly<Record<string, string>>;
}

/** Most ConfigMaps of a cluster are nobody's resource, and those that nobody names are small or not kept. */
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

/** `isNamed` says whether a set has it among its resources. */
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

/** `sha256:<hex>` of all values, one after the other. */
export function hashOf(values: readonly Uint8Array[]): string {
  return `sha256:${hash('sha256', Buffer.concat(values), 'hex')}`;
}

function sizeOf(data: Readonly<Record<string, string>>): number {
  return Object.values(data).reduce((sum, value) => sum + value.length, 0);
}
