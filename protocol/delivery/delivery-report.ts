import type { Uuid } from '#kit/std';
import type { TargetId } from '../targets/index.ts';
import type { Health } from './health.ts';

export type ReportContent =
  | { readonly kind: 'applied'; readonly hash: string }
  | { readonly kind: 'removed' }
  /** Found after the order was accepted: the agent will never carry it out. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** Applying or removing ended without success. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'health'; readonly health: Health; readonly message: string }
  /** All objects that differ from the delivered documents; empty when none does any more. */
  | { readonly kind: 'drift'; readonly objects: readonly string[] };

/** Sent by an agent on its own, in order for each target. A report may arrive twice. */
export type DeliveryReport = {
  readonly target: TargetId;
  readonly deployment: Uuid;
  readonly revision: number;
} & ReportContent;

/** One deployment on a target. */
export interface Holding {
  readonly deployment: Uuid;
  readonly revision: number;
  readonly hash: string;
  readonly health: Health;
  readonly message: string;
}

/** Everything that is on a target, sent after the agent connected: a deployment that is not in it is not there. */
export interface Inventory {
  readonly target: TargetId;
  /** Identifies the installation behind the target: a rebuilt cluster has another one. */
  readonly instance: string;
  readonly holdings: readonly Holding[];
}
