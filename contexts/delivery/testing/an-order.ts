import { parseUuid, type Uuid } from '#kit/std';
import type { DeliverOrder, Document, RemoveOrder } from '#protocol/delivery';
import type { TargetId, TargetRef } from '#protocol/targets';

export function uidOf(number: number): Uuid {
  return parseUuid(`00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`);
}

export function aTarget(number = 1, its: Partial<TargetRef> = {}): TargetRef {
  return { id: uidOf(number) as string as TargetId, name: `target-${number}`, type: 'simulated', ...its };
}

export function aDocument(name: string, data: Readonly<Record<string, string>> = {}): Document {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

export function anOrder(its: Partial<DeliverOrder> = {}): DeliverOrder {
  return {
    kind: 'deliver',
    target: aTarget(),
    deployment: uidOf(0xd),
    revision: 1,
    hash: 'sha256:one',
    documents: [aDocument('one')],
    healthRules: [],
    driftPolicy: 'report',
    secretPlaces: [],
    ...its,
  };
}

export function aRemoval(its: Partial<RemoveOrder> = {}): RemoveOrder {
  return { kind: 'remove', target: aTarget(), deployment: uidOf(0xd), revision: 2, ...its };
}
