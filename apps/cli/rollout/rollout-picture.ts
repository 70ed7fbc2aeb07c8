import type {
  ApprovalResource,
  DeploymentGroupStatusResource,
  DeploymentResource,
  DeploymentTargetResource,
} from '#protocol/api';
import type { Paint } from '../output/paint.ts';

/** Everything known about a rollout at one moment. */
export interface RolloutPicture {
  readonly deployment: DeploymentResource;
  /** Targets that have the deployment, should have it, or had it. */
  readonly targets: readonly DeploymentTargetResource[];
  /** Approvals that wait for an answer. */
  readonly approvals: readonly ApprovalResource[];
  /** For a group only. */
  readonly children: readonly DeploymentResource[];
  readonly group?: DeploymentGroupStatusResource | undefined;
}

export interface Drawing {
  readonly now: number;
  readonly paint: Paint;
  /** The maximum number of targets listed. */
  readonly limit: number;
  /** Include targets that are up to date. */
  readonly allTargets: boolean;
}
