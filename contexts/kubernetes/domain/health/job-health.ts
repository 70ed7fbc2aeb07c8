import { at } from '../json-value.ts';
import { conditionOf } from './conditions.ts';
import { AVAILABLE, degraded, type ObjectHealth, type ObjectView, progressing } from './object-health.ts';
import { podTrouble } from './pod-health.ts';
import { quotaTrouble } from './workload-health.ts';

/** Available once complete: a rollout that delivers a migration must know that it is done. */
export function jobHealth({ object, pods, events }: ObjectView): ObjectHealth {
  if (conditionOf(object, 'Complete')?.status === 'True') return AVAILABLE;
  const failed = conditionOf(object, 'Failed');
  if (failed?.status === 'True') return degraded(failed.reason || 'JobFailed', failed.message);
  if (at(object, 'spec', 'suspend') === true) return progressing('Suspended', 'it is suspended');
  return quotaTrouble(events) ?? podTrouble(pods) ?? progressing('Running', 'it has not completed yet');
}

/** The outcome of its Jobs does not count: a failed nightly run says nothing about what was delivered. */
export function cronJobHealth({ object }: ObjectView): ObjectHealth {
  return at(object, 'spec', 'suspend') === true
    ? { ...AVAILABLE, reason: 'Suspended', message: 'it is suspended' }
    : AVAILABLE;
}
