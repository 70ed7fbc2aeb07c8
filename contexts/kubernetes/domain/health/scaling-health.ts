import { numberAt } from '../json-value.ts';
import { conditionOf, notObserved } from './conditions.ts';
import { AVAILABLE, degraded, type ObjectHealth, type ObjectView, progressing } from './object-health.ts';

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
