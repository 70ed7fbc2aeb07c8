import type { Approval } from './approval.ts';
import type { Deployment } from './deployment.ts';
import type { DeploymentTarget } from './deployment-target.ts';

export const DEPLOYMENT_EVENTS = [
  'deployment.created',
  'deployment.updated',
  /** Somebody asked for it to go. */
  'deployment.deleting',
  'deployment.deleted',
  /** How it stands has changed: conditions, counts, what its rollout waits for. */
  'deployment.statusChanged',
  'rollout.planned',
  'rollout.paused',
  'rollout.resumed',
  'rollout.finished',
  'approval.requested',
  'approval.answered',
  'approval.closed',
  /** What happened on targets since the last one, several together. */
  'delivery.changed',
] as const;
export type DeploymentEventType = (typeof DEPLOYMENT_EVENTS)[number];

/** Concerns the deployment's workspace, and holds no secret. */
export type OrchestrationEvent =
  | {
      readonly type: Exclude<
        DeploymentEventType,
        'approval.requested' | 'approval.answered' | 'approval.closed' | 'delivery.changed'
      >;
      readonly deployment: Deployment;
    }
  | {
      readonly type: 'approval.requested' | 'approval.answered' | 'approval.closed';
      readonly approval: Approval;
    }
  | {
      readonly type: 'delivery.changed';
      readonly deployment: Deployment;
      readonly targets: readonly DeploymentTarget[];
    };
