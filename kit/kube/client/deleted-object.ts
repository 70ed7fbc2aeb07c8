import type { KubeObject } from './kube-object.ts';

/**
 * Whether the answer to a delete is an object that is still there. The server answers with a `Status`, or with the object
 * as it last was, also when that is gone: then nothing holds it any more.
 */
export function isStillThere(
  answer: KubeObject & { readonly spec?: { readonly finalizers?: readonly string[] } },
): boolean {
  if (answer.kind === 'Status' || answer.metadata.deletionTimestamp === undefined) return false;
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = answer.metadata;
  // Namespaces keep theirs in the spec.
  const held = finalizers.length + (answer.kind === 'Namespace' ? (answer.spec?.finalizers ?? []).length : 0);
  return held > 0 || deletionGracePeriodSeconds > 0;
}
