import type { Health } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { FailureReason } from '../rollout/machine/member.ts';
import type { DeploymentId } from './deployment.ts';

/** What was put on a target, as its agent said. */
export interface AppliedContent {
  readonly revision: number;
  readonly hash: string;
}

export const ORDER_STATES = [
  /** Decided, and not sent. */
  'queued',
  /** On its way: nobody knows whether it arrived. */
  'sent',
  /** The agent has it safely, and will say what became of it. */
  'accepted',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** What a target was last asked to do, until that has come to its end. */
export interface Order {
  readonly kind: 'deliver' | 'remove';
  readonly revision: number;
  /** Those that were decided together are sent together. */
  readonly batch: number;
  readonly state: OrderState;
  /** Of what is delivered, once it is known. */
  readonly hash?: string;
  readonly since: number;
}

/** A deployment on one target: one row of what the API shows. A value. */
export interface DeploymentTarget {
  readonly deployment: DeploymentId;
  readonly target: TargetId;
  readonly name: string;
  readonly type: string;
  /** Whether it is to have the deployment. Otherwise it is on its way out of it. */
  readonly isPlaced: boolean;
  readonly isOnline: boolean;
  readonly applied: AppliedContent | undefined;
  readonly order: Order | undefined;
  readonly failure:
    | {
        readonly reason: FailureReason;
        readonly message: string;
        readonly revision: number;
        /** Of `RevisionAhead`: what its agent has seen. */
        readonly seen?: number;
      }
    | undefined;
  readonly health: Health;
  /** The revision that the health was reported for; 0 when there was none. */
  readonly healthRevision: number;
  readonly healthMessage: string;
  /** It did not get what it should have, and gets it when it is back. */
  readonly isOwed: boolean;
  /** What was changed or is missing on the target, as its agent said; empty when it is as delivered. */
  readonly drift: readonly string[];
  /** The installation behind the target. Another one has nothing of what was put on the first. */
  readonly instance: string | undefined;
  /** When anything of it last changed. */
  readonly updateTime: number;
}
