/** The event types of deployments, their rollouts, approvals and deliveries. */
export const DEPLOYMENT_EVENTS = [
  'deployment.created',
  'deployment.updated',
  /** Deletion was requested. */
  'deployment.deleting',
  'deployment.deleted',
  /** Conditions, counts, or the waits of the rollout changed. */
  'deployment.statusChanged',
  'rollout.planned',
  'rollout.paused',
  'rollout.resumed',
  'rollout.finished',
  'approval.requested',
  'approval.answered',
  'approval.closed',
  /** Changes on targets since the previous event of this type, batched. */
  'delivery.changed',
] as const;
