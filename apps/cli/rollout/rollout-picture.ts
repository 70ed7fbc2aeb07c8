import type {
  ApprovalResource,
  DeploymentGroupStatusResource,
  DeploymentResource,
  DeploymentTargetResource,
} from '#protocol/api';
import type { Paint } from '../output/paint.ts';

/** All that is known of a rollout at one moment. */
export interface RolloutPicture {
  readonly deployment: DeploymentResource;
  /** Where the deployment is, or is to be, or was. */
  readonly targets: readonly DeploymentTargetResource[];
  /** Those that wait for an answer. */
  readonly approvals: readonly ApprovalResource[];
  /** Of a group. */
  readonly children: readonly DeploymentResource[];
  readonly group?: DeploymentGroupStatusResource | undefined;
}

export interface Drawing {
  readonly now: number;
  readonly paint: Paint;
  /** How many targets are listed at most. */
  readonly limit: number;
  /** Also those that are as they should be. */
  readonly allTargets: boolean;
}
