import type { Approval } from './approval.ts';
import type { Deployment } from './deployment.ts';
import type { DeploymentTarget } from './deployment-target.ts';

/** Every event belongs to the deployment's workspace, and holds no secret. */
export type OrchestrationEvent =
  | {
      readonly type:
        | `deployment.${'created' | 'updated' | 'deleting' | 'deleted' | 'statusChanged'}`
        | `rollout.${'planned' | 'paused' | 'resumed' | 'finished'}`;
      readonly deployment: Deployment;
    }
  | {
      readonly type: `approval.${'requested' | 'answered' | 'closed'}`;
      readonly approval: Approval;
    }
  | {
      readonly type: 'delivery.changed';
      readonly deployment: Deployment;
      readonly targets: readonly DeploymentTarget[];
    };

export type DeploymentEventType = OrchestrationEvent['type'];
