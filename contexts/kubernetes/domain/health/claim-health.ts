import { textAt } from '../json-value.ts';
import { AVAILABLE, degraded, type ObjectHealth, type ObjectView, progressing } from './object-health.ts';

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
