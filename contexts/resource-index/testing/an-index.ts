import { type EffectiveSchema, effectiveSchema, type IndexedKind } from '../domain/index-schema.ts';
import { type IndexedObject, type ObjectKey, withDigest } from '../domain/indexed-object.ts';
import type { ObservedObject } from '../domain/observed-object.ts';

export function aKind(type: string, more: Partial<IndexedKind> = {}): IndexedKind {
  return {
    type,
    fields: [{ name: 'size', path: 'spec.size', type: 'number' }],
    health: [],
    only: [],
    expiry: undefined,
    ...more,
  };
}

export function aSchema(...kinds: readonly IndexedKind[]): EffectiveSchema {
  return effectiveSchema(kinds);
}

export function aKey(name: string, type = 'v1/Box'): ObjectKey {
  return { type, namespace: 'shop', name };
}

export function anObject(name: string, { type = 'v1/Box', size = 1 } = {}): ObservedObject {
  return {
    key: aKey(name, type),
    uid: `uid-${name}`,
    deployment: '',
    labels: {},
    owners: [],
    conditions: [],
    createTime: undefined,
    body: { spec: { size } },
  };
}

export function anIndexed(name: string, { type = 'v1/Box', size = 1, expireTime = 0 } = {}): IndexedObject {
  const content = JSON.stringify({ labels: {}, owners: [], conditions: [], fields: { size } });
  return withDigest({
    key: aKey(name, type),
    uid: `uid-${name}`,
    health: 'Healthy',
    deployment: '',
    content,
    expireTime,
  });
}
