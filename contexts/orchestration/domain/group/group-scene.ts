import type { DeploymentGroupSpec } from '../manifest/group/deployment-group.ts';
import type { ChildView } from './child-view.ts';

/** What the group should be, from one revision on. */
export interface GroupWish {
  readonly revision: number;
  /** In digests, with the names of the deployments. */
  readonly spec: DeploymentGroupSpec;
}

/** All that the controller looks at, at one moment. */
export interface GroupScene {
  /** `undefined` once the group is to go. */
  readonly wish: GroupWish | undefined;
  readonly isPaused: boolean;
  /** The rollout of the group that was aborted, when nothing was asked for since. */
  readonly aborted: number | undefined;
  /** Every deployment that the group made and that is still there. */
  readonly children: readonly ChildView[];
  /** Names of children that deployments outside of the group have. */
  readonly taken: ReadonlySet<string>;
  /** The last revision before this one that succeeded: where a rollback would go. */
  readonly lastGood: number | undefined;
}
