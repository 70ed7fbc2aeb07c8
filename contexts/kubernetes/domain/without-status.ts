import { sameJson } from '#kit/std';
import type { KubeObject } from './kube-object.ts';

/**
 * Whether two versions of one object differ at most in their status. A field manager of the status is part of it. Taking an
 * object over changes its labels or another manager.
 */
export function differInStatusAtMost(one: KubeObject, other: KubeObject): boolean {
  return sameJson(withoutStatus(one), withoutStatus(other));
}

function withoutStatus(object: KubeObject): object {
  const { status: _, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { resourceVersion: __, managedFields = [], ...metadata } = object.metadata;
  const managers = managedFields.filter(({ subresource }) => subresource !== 'status');
  return { ...rest, metadata: { ...metadata, managedFields: managers } };
}
