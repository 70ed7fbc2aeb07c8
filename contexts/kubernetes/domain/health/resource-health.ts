import { at, listAt, numberAt, textAt } from '../json-value.ts';
import { conditionOf, notObserved } from './conditions.ts';
import { AVAILABLE, applied, degraded, type ObjectHealth, type ObjectView, progressing } from './object-health.ts';

export function claimHealth({ object, events }: ObjectView): ObjectHealth {
  const phase = textAt(object, 'status', 'phase');
  if (phase === 'Bound') return AVAILABLE;
  if (phase === 'Lost') return degraded('VolumeLost', 'its volume is gone');
  const wentWrong = events.find(({ reason }) => reason === 'ProvisioningFailed');
  if (wentWrong !== undefined) return degraded('ProvisioningFailed', wentWrong.message);
  if (events.some(({ reason }) => reason === 'WaitForFirstConsumer')) {
    // Waiting for it would never end if nothing uses the claim yet.
    return { ...AVAILABLE, reason: 'WaitForFirstConsumer', message: 'it is bound once a Pod uses it' };
  }
  return progressing('NotBound', 'it is not bound to a volume yet');
}

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

/** Metrics of new Pods take a minute, so missing metrics are not a defect. */
export function autoscalerHealth({ object }: ObjectView): ObjectHealth {
  const able = conditionOf(object, 'AbleToScale');
  if (able === undefined) return progressing('NotObserved', 'its controller has not observed it yet');
  if (able.status === 'False') return degraded(able.reason || 'NotAbleToScale', able.message);
  const active = conditionOf(object, 'ScalingActive');
  if (active?.status === 'False' && active.reason !== 'ScalingDisabled') {
    return progressing(active.reason || 'NotActive', active.message);
  }
  return AVAILABLE;
}

export function disruptionBudgetHealth({ object }: ObjectView): ObjectHealth {
  const early = notObserved(object);
  if (early !== undefined) return early;
  const healthy = numberAt(object, 'status', 'currentHealthy') ?? 0;
  const desired = numberAt(object, 'status', 'desiredHealthy') ?? 0;
  return healthy >= desired ? AVAILABLE : progressing('TooFewHealthy', 'fewer Pods are healthy than it asks for');
}

export function definitionHealth({ object }: ObjectView): ObjectHealth {
  const names = conditionOf(object, 'NamesAccepted');
  if (names?.status === 'False') return degraded(names.reason || 'NamesNotAccepted', names.message);
  if (conditionOf(object, 'Established')?.status === 'True') return AVAILABLE;
  return progressing('NotEstablished', 'the server does not serve it yet');
}

/** Without a service the API server itself serves it. */
export function apiServiceHealth({ object }: ObjectView): ObjectHealth {
  const available = conditionOf(object, 'Available');
  if (available?.status === 'True' || (at(object, 'spec', 'service') ?? null) === null) return AVAILABLE;
  return progressing(available?.reason || 'NotAvailable', available?.message || 'its service does not answer yet');
}
