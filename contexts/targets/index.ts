export type { AddonTypes, UnitOfWork, VisibleSet } from './application/ports.ts';
export { TargetService } from './application/target-service.ts';
export type { TargetReport } from './domain/change-target.ts';
export { SAME_CLUSTER } from './domain/cluster-identity.ts';
export type { ConnectionReport } from './domain/connect-target.ts';
export type { PlacementField, PlacementView } from './domain/placement-view.ts';
export type { Target } from './domain/target.ts';
export { targetNotFound } from './domain/target-error.ts';
export { TARGET_EVENTS, type TargetEventType } from './domain/target-event.ts';
