import type { Uuid } from '#kit/std';
import type { DeploymentId, DeploymentPlace } from './deployment.ts';

export const APPROVAL_STATES = [
  'Open',
  'Approved',
  'Rejected',
  'Expired',
  /** The rollout no longer waits for it. */
  'Closed',
] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** A person has to agree before a rollout continues. Bound to one opening of one gate of one revision. */
export interface Approval {
  readonly uid: Uuid;
  readonly deployment: DeploymentId;
  readonly deploymentName: string;
  readonly workspace: DeploymentPlace;
  readonly revision: number;
  readonly gate: string;
  /** The step that the gate stands before or after. */
  readonly step: string;
  readonly requestedBy: string;
  /** All principals who wrote something that the rollout brings, or asked for the rollout: see `AuthorStore`. */
  readonly requesters: readonly string[];
  /** The approver must be a person, and none of the requesters. */
  readonly needsDistinctApprover: boolean;
  readonly createTime: number;
  readonly expireTime: number | undefined;
  readonly state: ApprovalState;
  readonly answer:
    | { readonly by: string; readonly time: number; readonly message: string; readonly override?: true }
    | undefined;
  readonly version: number;
}
