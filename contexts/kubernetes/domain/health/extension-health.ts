import { at } from '../json-value.ts';
import { conditionOf } from './conditions.ts';
import { AVAILABLE, degraded, type ObjectHealth, type ObjectView, progressing } from './object-health.ts';

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
