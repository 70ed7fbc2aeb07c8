import type { ObjectKey } from '../cache/object-store.ts';
import type { KubeObject } from '../client/kube-object.ts';

export function keyOf({ metadata: { namespace, name = '' } }: KubeObject): ObjectKey {
  return { namespace, name };
}

/** `namespace/name`, or `name`, as in the logs of Kubernetes' own controllers. A name contains no slash. */
export function formatKey({ namespace, name }: ObjectKey): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash === -1 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
