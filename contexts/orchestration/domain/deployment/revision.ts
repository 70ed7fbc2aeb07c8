import type { Outcome } from '../rollout/machine/phase.ts';
import type { DeploymentId, DeploymentSpec } from './deployment.ts';

/** One rollout: of what, why, and what became of it. */
export interface Revision {
  readonly deployment: DeploymentId;
  /** Grows by one or more from rollout to rollout. */
  readonly revision: number;
  readonly generation: number;
  /** In its open form. */
  readonly spec: DeploymentSpec;
  /** What made it necessary, in words for people. */
  readonly trigger: string;
  readonly requestedBy: string;
  /** The content is that of an earlier revision, as it was delivered then. */
  readonly rollbackTo: number | undefined;
  /** False of a rollback that goes to all at once, whatever the budget says. */
  readonly isPaced: boolean;
  readonly createTime: number;
  readonly endTime: number | undefined;
  readonly outcome: Outcome | undefined;
  readonly message: string | undefined;
  /** How many turns it took so far. */
  readonly turns: number;
}
