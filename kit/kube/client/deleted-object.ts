import type { KubeObject } from './kube-object.ts';

/**
 * Whether the response to a delete is an object that still exists. The server responds with a `Status`, or with the
 * last state of the object, even if it is gone: in that case it has no finalizers and no grace period.
 */
export function isStillThere(
  answer: KubeObject & { readonly spec?: { readonly finalizers?: readonly string[] } },
): boolean {
  if (answer.kind === 'Status' || answer.metadata.deletionTimestamp === undefined) return false;
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = answer.metadata;
  // Namespaces have their finalizers in the spec.
  const held = finalizers.length + (answer.kind === 'Namespace' ? (answer.spec?.finalizers ?? []).length : 0);
  return held > 0 || deletionGracePeriodSeconds > 0;
}
