export { DeploymentService } from './application/deployment-service.ts';
export { followMove, type MovedDeployment } from './application/follow-move.ts';
export { GroupController } from './application/groups/group-controller.ts';
export { LocalAgent } from './application/groups/local-agent.ts';
export { GenerationSlots } from './application/pipeline/generation/generation-slots.ts';
export { storeObservations } from './application/pipeline/store-observations.ts';
export type {
  Approvers,
  Observer,
  PoolTarget,
  RequiredGates,
  TargetPool,
  TargetRouter,
  UnitOfWork,
  Units,
  WorkspaceDirectory,
} from './application/ports.ts';
export { CarryOutRemovals } from './application/removals/carry-out-removals.ts';
export { owesRemovals } from './application/removals/owe-removals.ts';
export { type AddedStrategies, registerStrategies } from './application/strategies.ts';
export { TargetChanges } from './application/take-target-changes.ts';
export type { TargetChange } from './application/target-changes.ts';
export type { Deployment } from './domain/deployment/deployment.ts';
export type { TargetCounts } from './domain/deployment/status/deployment-status.ts';
export { createPlacementRegistry, type PlacementRegistry } from './domain/placement/placement-registry.ts';
export type { TargetCause } from './domain/placement/removal-cause.ts';
export { createDecide } from './domain/rollout/machine/decide.ts';
export { LOCAL_TARGET_ID } from './domain/target-view.ts';
