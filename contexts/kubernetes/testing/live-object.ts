import type { KubeObject } from '../domain/kube-object.ts';

/** An object as a cluster shows it: `live('apps/v1/Deployment', { spec, status })`, with generation 2 by default. */
export function live(
  type: string,
  fields: { readonly metadata?: object; readonly [field: string]: unknown },
): KubeObject {
  const slash = type.lastIndexOf('/');
  const metadata = { name: 'web', namespace: 'shop', uid: 'u-1', generation: 2, ...fields.metadata };
  return { apiVersion: type.slice(0, slash), kind: type.slice(slash + 1), ...fields, metadata };
}

/** `conditions('Ready=False NotYet it is early', ...)`, as controllers write them. */
export function conditions(...texts: readonly string[]): object[] {
  return texts.map((text) => {
    const [, type, status, reason = '', message = ''] = /^(\w+)=(\w+)(?: (\w+))?(?: (.*))?$/.exec(text) ?? [];
    return { type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
  });
}

/** A Pod whose one container waits for a reason, or runs. */
export function pod(waiting?: object, more: object = {}): KubeObject {
  const state = waiting === undefined ? { running: { startedAt: '2026-01-01T00:00:00Z' } } : { waiting };
  const container = {
    name: 'web',
    image: 'registry.example/web:2',
    ready: waiting === undefined,
    restartCount: 0,
    state,
  };
  const status = {
    phase: waiting === undefined ? 'Running' : 'Pending',
    conditions: conditions('PodScheduled=True', `Ready=${waiting === undefined ? 'True' : 'False'}`),
    containerStatuses: [{ ...container, ...more }],
  };
  return live('v1/Pod', { metadata: { name: 'web-6d4cf56db6-x7k2p' }, status });
}
