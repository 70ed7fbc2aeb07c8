import { createHmac } from 'node:crypto';
import type { DeliveryOrder } from '#protocol/delivery';
import type { UnitOfWork } from '../application/ports.ts';
import { payloadOf } from '../domain/manifest/payload.ts';

const fingerprint = (secret: string) => createHmac('sha256', 'a test').update(secret).digest('hex');

/** Stores the content as it is before an order is sent. */
export async function keepContent(unit: UnitOfWork, order: DeliveryOrder, signal: AbortSignal): Promise<void> {
  const { deployment, revision, target } = order;
  const payload = order.kind === 'deliver' ? payloadOf(order.documents, fingerprint) : undefined;
  if (payload !== undefined) await unit.contents.keep([payload], signal);
  await unit.contents.assign({ deployment, revision }, new Map([[target.id, payload?.hash]]), signal);
}
