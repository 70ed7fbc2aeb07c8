import type { Uuid } from '#kit/std';
import type { DeliverOrder, DeliveryOrder, OrderOrigin } from '#protocol/delivery';
import type { HealthCheck } from './desired-file.ts';

/** A file as it was delivered. */
export interface OwnedFile {
  readonly sha256: string;
  readonly mode: number;
  /** Its content is never printed. Missing in records of earlier releases. */
  readonly isSecret?: boolean;
}

/** The state of one deployment in one folder. It survives restarts, and the removal of the content: the seen revision stays. */
export interface DeploymentRecord {
  readonly deployment: Uuid;
  /** The last accepted order; without a hash it was a removal. */
  readonly seen: {
    readonly revision: number;
    readonly hash: string | undefined;
    /** The platform that gave it; absent in records of earlier releases. */
    readonly origin?: OrderOrigin | undefined;
  };
  /** By path: all files of this deployment, and after a crash also those that may be. */
  readonly files: Readonly<Record<string, OwnedFile>>;
  /** The last revision that was applied completely, if the agent has not changed the files since. */
  readonly held:
    | { readonly revision: number; readonly hash: string; readonly check?: HealthCheck | undefined }
    | undefined;
  /** Accepted, but neither completed nor given up. */
  readonly work: Omit<DeliverOrder, 'target'> | Omit<DeliveryOrder & { readonly kind: 'remove' }, 'target'> | undefined;
}

export type OrderVerdict = 'new' | 'again' | 'fenced';

/** Never goes back behind a revision that was seen. Different content under the same revision counts as newer. */
export function verdictOf(record: DeploymentRecord | undefined, order: DeliveryOrder): OrderVerdict {
  if (record === undefined || order.revision > record.seen.revision) return 'new';
  if (order.revision < record.seen.revision) return 'fenced';
  return seenOf(order).hash === record.seen.hash ? 'again' : 'new';
}

export function seenOf(order: DeliveryOrder): DeploymentRecord['seen'] {
  const { revision, origin } = order;
  const hash = order.kind === 'deliver' ? order.hash : undefined;
  return { revision, hash, ...(origin !== undefined && { origin }) };
}

/** Whether nothing is left to do for the order. */
export function isDone(record: DeploymentRecord | undefined, order: DeliveryOrder): boolean {
  if (record?.work !== undefined) return false;
  if (order.kind === 'remove') return Object.keys(record?.files ?? {}).length === 0;
  return record?.held?.revision === order.revision && record.held.hash === order.hash;
}
