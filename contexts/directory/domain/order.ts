import type { Uuid } from '#kit/std';
import type { DeliverOrder, DeliveryOrder } from '#protocol/delivery';
import type { HealthCheck } from './wanted-file.ts';

/** A file as it was put there. */
export interface OwnedFile {
  readonly sha256: string;
  readonly mode: number;
  /** Its content is never printed. Missing in records of earlier releases, which did not know. */
  readonly isSecret?: boolean;
}

/** What there is to know of one deployment in one folder. It outlives the process, and the content: what was seen stays. */
export interface DeploymentRecord {
  readonly deployment: Uuid;
  /** The last order that was taken; without a hash it was a removal. */
  readonly seen: { readonly revision: number; readonly hash: string | undefined };
  /** By path: all that is there because of this deployment, and all that may be, after a crash. */
  readonly files: Readonly<Record<string, OwnedFile>>;
  /** What was applied whole, and not touched by us since. */
  readonly held:
    | { readonly revision: number; readonly hash: string; readonly check?: HealthCheck | undefined }
    | undefined;
  /** Taken, and neither done nor given up. */
  readonly work: Omit<DeliverOrder, 'target'> | Omit<DeliveryOrder & { readonly kind: 'remove' }, 'target'> | undefined;
}

export type Passage = 'new' | 'again' | 'fenced';

/** Never back behind a revision that was seen. Another content under the same revision is a later word. */
export function passageOf(record: DeploymentRecord | undefined, order: DeliveryOrder): Passage {
  if (record === undefined || order.revision > record.seen.revision) return 'new';
  if (order.revision < record.seen.revision) return 'fenced';
  return seenOf(order).hash === record.seen.hash ? 'again' : 'new';
}

export function seenOf(order: DeliveryOrder): DeploymentRecord['seen'] {
  return { revision: order.revision, hash: order.kind === 'deliver' ? order.hash : undefined };
}

/** Whether nothing is left to do for it. */
export function isDone(record: DeploymentRecord | undefined, order: DeliveryOrder): boolean {
  if (record?.work !== undefined) return false;
  if (order.kind === 'remove') return Object.keys(record?.files ?? {}).length === 0;
  return record?.held?.revision === order.revision && record.held.hash === order.hash;
}
