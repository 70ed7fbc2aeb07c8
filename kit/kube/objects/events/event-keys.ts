import type { KubeEvent } from './kube-event.ts';

/** Events of one source about one object share a spam filter. */
export function objectKey({ source, involvedObject: { kind, namespace, name, uid, apiVersion } }: KubeEvent): string {
  return JSON.stringify([source.component, source.host, kind, namespace, name, uid, apiVersion]);
}

/** Similar events: equal except for their message. */
export function similarKey(event: KubeEvent): string {
  return JSON.stringify([objectKey(event), event.type, event.reason]);
}

/** Equal events. */
export function sameKey(event: KubeEvent): string {
  return JSON.stringify([objectKey(event), event.type, event.reason, event.message]);
}
