import type { KubeObject } from '../client/kube-object.ts';

/** For messages: `Pod default/web-0`. */
export function describeObject({ kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
