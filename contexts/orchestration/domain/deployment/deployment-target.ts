import type { Health } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { FailureReason } from '../rollout/machine/member.ts';
import type { DeploymentId } from './deployment.ts';

/** The content of a target, as its agent reported. */
export interface AppliedContent {
  readonly revision: number;
  readonly hash: string;
}

export const ORDER_STATES = [
  /** Decided, not sent yet. */
  'queued',
  /** Sent; it is not known whether it arrived. */
  'sent',
  /** The agent has persisted it, and will report the result. */
  'accepted',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** The last order to a target, until it has ended. */
export interface Order {
  readonly kind: 'deliver' | 'remove';
  readonly revision: number;
  /** Orders that were decided together are sent together. */
  readonly batch: number;
  readonly state: OrderState;
  /** Hash of the delivery, once it is known. */
  readonly hash?: string;
  readonly since: number;
}

/** A deployment on one target: one row of what the API shows. Immutable. */
export interface DeploymentTarget {
  readonly deployment: DeploymentId;
  readonly target: TargetId;
  readonly name: string;
  readonly type: string;
  /** Whether the target should have the deployment. If not, the deployment is being removed from it. */
  readonly isPlaced: boolean;
  readonly isOnline: boolean;
  readonly applied: AppliedContent | undefined;
  readonly order: Order | undefined;
  readonly failure:
    | {
        readonly reason: FailureReason;
        readonly message: string;
        readonly revision: number;
        /** For `RevisionAhead`: the revision that the agent has seen. */
        readonly seen?: number;
      }
    | undefined;
  readonly health: Health;
  /** The revision that the health was reported for; 0 before the first report. */
  readonly healthRevision: number;
  readonly healthMessage: string;
  /** The target did not get what it should have, and gets it when it is back. */
  readonly isOwed: boolean;
  /** Objects changed or missing on the target, as its agent reported; empty when all are as delivered. */
  readonly drift: readonly string[];
  /** The installation behind the target. After a rebuild it is another one, with nothing of what the first one had. */
  readonly instance: string | undefined;
  /** When any field last changed. */
  readonly updateTime: number;
}
