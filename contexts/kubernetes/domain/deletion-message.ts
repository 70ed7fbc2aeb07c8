import { listAt, textAt } from './json-value.ts';
import type { KubeObject } from './kube-object.ts';

const NAMESPACE_CONDITIONS = [
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceFinalizersRemaining',
  'NamespaceContentRemaining',
];

/** Why the deletion of an object is blocked, in a few words; `undefined` if it is not being deleted. */
export function deletionMessage(live: KubeObject): string | undefined {
  const { deletionTimestamp, finalizers = [] } = live.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const held = live.kind === 'Namespace' && live.apiVersion === 'v1' ? namespaceHeldBy(live) : undefined;
  if (held !== undefined) return `is being deleted: ${held}`;
  if (finalizers.length === 0) return 'is being deleted';
  return `is being deleted, and waits for its finalizers ${finalizers.toSorted().join(', ')}`;
}

/** The namespace's own finalizer says nothing. Its conditions tell what is left in it. */
function namespaceHeldBy(live: KubeObject): string | undefined {
  const conditions = listAt(live, 'status', 'conditions');
  for (const type of NAMESPACE_CONDITIONS) {
    const found = conditions.find((each) => textAt(each, 'type') === type && textAt(each, 'status') === 'True');
    if (found !== undefined) return textAt(found, 'message') ?? type;
  }
  return undefined;
}
