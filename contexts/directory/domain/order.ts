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
  /** JSON pointers into `documents`. Missing in orders recorded by an earlier release. */
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
  readonly seen: { readonly revision: number; readonly hash: string | undefined };
  /** By path: all files of this deployment, and after a crash also those that may be. */
  readonly files: Readonly<Record<string, OwnedFile>>;
  /** The last revision that was applied completely, if the agent has not changed the files since. */
  readonly held:
    | { readonly revision: number; readonly hash: string; readonly check?: HealthCheck | undefined }
    | undefined;
  /** Accepted, but neither completed nor given up. */
  readonly work: Omit<DeliverOrder, 'target'> | Omit<Order & { readonly kind: 'remove' }, 'target'> | undefined;
}

export type Passage = 'new' | 'again' | 'fenced';

/** Never goes back behind a revision that was seen. Different content under the same revision counts as newer. */
export function passageOf(record: DeploymentRecord | undefined, order: Order): Passage {
  if (record === undefined || order.revision > record.seen.revision) return 'new';
  if (order.revision < record.seen.revision) return 'fenced';
  return seenOf(order).hash === record.seen.hash ? 'again' : 'new';
}

export function seenOf(order: Order): DeploymentRecord['seen'] {
  return { revision: order.revision, hash: order.kind === 'deliver' ? order.hash : undefined };
}

/** Whether nothing is left to do for the order. */
export function isDone(record: DeploymentRecord | undefined, order: Order): boolean {
  if (record?.work !== undefined) return false;
  if (order.kind === 'remove') return Object.keys(record?.files ?? {}).length === 0;
  return record?.held?.revision === order.revision && record.held.hash === order.hash;
}
