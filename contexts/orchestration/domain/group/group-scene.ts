import type { DeploymentGroupSpec } from '../manifest/group/deployment-group.ts';
import type { ChildView } from './child-view.ts';

/** The desired state of the group, from one revision on. */
export interface DesiredGroup {
  readonly revision: number;
  /** In digests, with the names of the deployments. */
  readonly spec: DeploymentGroupSpec;
}

/** All inputs of the controller at one moment. */
export interface GroupScene {
  /** `undefined` once the group is being deleted. */
  readonly desired: DesiredGroup | undefined;
  readonly isPaused: boolean;
  /** The revision of the group whose rollout was aborted, if nothing was requested since. */
  readonly aborted: number | undefined;
  /** Every deployment that the group created and that still exists. */
  readonly children: readonly ChildView[];
  /** Names of wanted children that deployments outside the group have. */
  readonly taken: ReadonlySet<string>;
  /** The last successful revision before this one: where a rollback would go. */
  readonly lastGood: number | undefined;
}
