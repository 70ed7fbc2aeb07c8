export { carryOut, type Outcome } from './application/carry-out.ts';
export { Claims } from './application/claims.ts';
export type { CarryOutDeps, DeliveryTask } from './application/delivery-task.ts';
export { InventoryTracker } from './application/inventory-tracker.ts';
export { KubernetesAgent, type KubernetesAgentDeps, type ServedCluster } from './application/kubernetes-agent.ts';
export type {
  ApplyOptions,
  ClusterApi,
  ClusterPorts,
  ClusterWatch,
  Discovery,
  InventoryStore,
  OrderStore,
  Reports,
  WriteAnswer,
} from './application/ports.ts';
export type { Delivery } from './application/survey.ts';
export { desiredObjects } from './domain/desired-objects.ts';
export { appliedState, driftOf, heldHash } from './domain/drift.ts';
export { conflictsOf } from './domain/field-conflict.ts';
export { parseFieldPattern } from './domain/field-pattern.ts';
export { forApply } from './domain/ignore-fields.ts';
export { immutableFields } from './domain/immutable-fields.ts';
export { type KubeObject, keyOf, type ObjectKey } from './domain/kube-object.ts';
export { diffLines } from './domain/object-diff.ts';
export type { OwnPlace } from './domain/own-place.ts';
export { nextStep, pruneStep, wasMadeByUs } from './domain/ownership.ts';
