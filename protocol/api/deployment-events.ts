/** What is told of deployments, their rollouts, approvals and deliveries, by the types of events. */
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
