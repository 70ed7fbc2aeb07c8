import { hash48 } from './hash48.ts';
import type { ObjectHealth } from './index-schema.ts';

/** Identifies an object on its target. */
export interface ObjectKey {
  readonly type: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

export interface Owner {
  readonly type: string;
  readonly name: string;
  readonly uid: string;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

export type FieldValue = string | number | boolean | readonly string[];

/** Searchable content, besides the values that have columns of their own. */
export interface IndexedContent {
  readonly labels: Readonly<Record<string, string>>;
  readonly owners: readonly Owner[];
  readonly conditions: readonly Condition[];
  readonly fields: Readonly<Record<string, FieldValue>>;
  /** Unix milliseconds. */
  readonly createTime?: number;
  /** Something was too large, and is missing or truncated. */
  readonly isCut?: true;
}

/** The index entry of an object. */
export interface IndexedObject {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly health: ObjectHealth;
  /** The uid of the FleetShift deployment that created the object; empty if none did. */
  readonly deployment: string;
  /** `IndexedContent` as JSON, serialized once. */
  readonly content: string;
  /** Unix milliseconds; 0 when the entry does not expire. */
  readonly expireTime: number;
  /** Digest of all fields above. */
  readonly digest: number;
}

export function withDigest(object: Omit<IndexedObject, 'digest'>): IndexedObject {
  const { key, uid, health, deployment, content, expireTime } = object;
  const text = [key.type, key.namespace, key.name, uid, health, deployment, expireTime, content].join('\n');
  return { ...object, digest: hash48(text) };
}

/** Unique among the objects of a type. */
export function keyText({ namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

export function keyOf(type: string, text: string): ObjectKey {
  const slash = text.indexOf('/');
  return { type, namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
