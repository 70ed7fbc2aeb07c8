import { listAt, textAt } from '../json-value.ts';
import { AVAILABLE, applied, type ObjectHealth, type ObjectView, progressing } from './object-health.ts';

export function serviceHealth({ object }: ObjectView): ObjectHealth {
  if (textAt(object, 'spec', 'type') !== 'LoadBalancer') return AVAILABLE;
  if (listAt(object, 'status', 'loadBalancer', 'ingress').length > 0) return AVAILABLE;
  return progressing('NoAddress', 'its load balancer has no address yet');
}

/** Many controllers serve an Ingress but never write an address, so nothing waits for one. */
export function ingressHealth({ object }: ObjectView): ObjectHealth {
  if (listAt(object, 'status', 'loadBalancer', 'ingress').length > 0) return AVAILABLE;
  return applied('NoAddress', 'no controller has given it an address');
}
