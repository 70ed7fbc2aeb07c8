import { hash48 } from './hash48.ts';
import type { ObjectHealth } from './index-schema.ts';

/** Which object it is, on its target. */
export interface ObjectKey {
  readonly type: string;
  /** Empty for what is in none. */
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

/** What is searched by, beside what has columns of its own. */
export interface IndexedContent {
  readonly labels: Readonly<Record<string, string>>;
  readonly owners: readonly Owner[];
  readonly conditions: readonly Condition[];
  readonly fields: Readonly<Record<string, FieldValue>>;
  /** Unix milliseconds. */
  readonly createTime?: number;
  /** Something was too large, and is not there or not whole. */
  readonly isCut?: true;
}

/** What the platform knows of an object. */
export interface IndexedObject {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly health: ObjectHealth;
  /** The uid of the deployment of ours that brought it; empty when none did. */
  readonly deployment: string;
  /** `IndexedContent` as JSON, written once and read by those who show it. */
  readonly content: string;
  /** Unix milliseconds; 0 when it is of interest for as long as it is there. */
  readonly expireTime: number;
  /** Of all of the above. */
  readonly digest: number;
}

export function withDigest(object: Omit<IndexedObject, 'digest'>): IndexedObject {
  const { key, uid, health, deployment, content, expireTime } = object;
  const text = [key.type, key.namespace, key.name, uid, health, deployment, expireTime, content].join('\n');
  return { ...object, digest: hash48(text) };
}

/** Among those of its type. */
export function keyText({ namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

export function keyOf(type: string, text: string): ObjectKey {
  const slash = text.indexOf('/');
  return { type, namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
