import type { Brand, Uuid } from '#kit/std';
import type { Document, HealthCheck } from './wanted-file.ts';

/** The uid of a target. */
export type TargetId = Brand<string, 'TargetId'>;

export interface TargetRef {
  readonly id: TargetId;
  readonly name: string;
  readonly type: string;
}

export interface OrderKey {
  readonly target: TargetRef;
  readonly deployment: Uuid;
  readonly revision: number;
}

export interface DeliverOrder extends OrderKey {
  readonly kind: 'deliver';
  readonly hash: string;
  readonly documents: readonly Document[];
  readonly namespace?: string;
  /** JSON pointers into `documents`; an order that was kept by an earlier release has none. */
  readonly secretPlaces?: readonly string[];
}

export type Order = DeliverOrder | (OrderKey & { readonly kind: 'remove' });

export type Acknowledgement =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly message: string }
  | { readonly kind: 'fenced'; readonly seen: number };

export type Health = 'Available' | 'Degraded' | 'Unknown';

export type Report = { readonly target: TargetId; readonly deployment: Uuid; readonly revision: number } & (
  | { readonly kind: 'applied'; readonly hash: string }
  | { readonly kind: 'removed' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'health'; readonly health: Health; readonly message: string }
  | { readonly kind: 'drift'; readonly objects: readonly string[] }
);

export interface Holding {
  readonly deployment: Uuid;
  readonly revision: number;
  readonly hash: string;
  readonly health: Health;
  readonly message: string;
}

export interface Inventory {
  readonly target: TargetId;
  readonly instance: string;
  readonly holdings: readonly Holding[];
}

export interface Preview {
  readonly kind: 'wouldApply' | 'wouldReject';
  readonly message: string;
  readonly changes: readonly string[];
}

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
  readonly work: Omit<DeliverOrder, 'target'> | Omit<Order & { readonly kind: 'remove' }, 'target'> | undefined;
}

export type Passage = 'new' | 'again' | 'fenced';

/** Never back behind a revision that was seen. Another content under the same revision is a later word. */
export function passageOf(record: DeploymentRecord | undefined, order: Order): Passage {
  if (record === undefined || order.revision > record.seen.revision) return 'new';
  if (order.revision < record.seen.revision) return 'fenced';
  return seenOf(order).hash === record.seen.hash ? 'again' : 'new';
}

export function seenOf(order: Order): DeploymentRecord['seen'] {
  return { revision: order.revision, hash: order.kind === 'deliver' ? order.hash : undefined };
}

/** Whether nothing is left to do for it. */
export function isDone(record: DeploymentRecord | undefined, order: Order): boolean {
  if (record?.work !== undefined) return false;
  if (order.kind === 'remove') return Object.keys(record?.files ?? {}).length === 0;
  return record?.held?.revision === order.revision && record.held.hash === order.hash;
}
