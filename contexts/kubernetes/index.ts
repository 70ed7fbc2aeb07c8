export type {
  ApplyOptions,
  ClusterApi,
  ClusterWatch,
  Discovery,
  InventoryStore,
  ObjectChange,
  WriteAnswer,
} from './application/ports.ts';
export type { ApiStatus } from './domain/api-status.ts';
export { applyWaves, deleteWaves } from './domain/apply-waves.ts';
export { type DeliveryPolicy, separatePolicy } from './domain/delivery-policy.ts';
export { type AppliedState, appliedState, type Drift, driftOf, heldHash } from './domain/drift.ts';
export { type DriftStep, driftStep, type Repair, USUAL_REPAIRS } from './domain/drift-repair.ts';
export { conflictMessage, conflictsOf } from './domain/field-conflict.ts';
export { type HealthRule, judgeHealth, MISSING, type RuleEvaluator } from './domain/health/judge-health.ts';
export type { HealthState, ObjectEvent, ObjectHealth, ObjectView } from './domain/health/object-health.ts';
export { type DeploymentHealth, rollUp } from './domain/health/roll-up.ts';
export { forApply, patternsFor } from './domain/ignore-fields.ts';
export { immutableFields, immutableStep } from './domain/immutable-fields.ts';
export {
  type Inventory,
  type InventoryChunk,
  type InventoryEntry,
  joinInventory,
  pruneSet,
  splitInventory,
} from './domain/inventory.ts';
export {
  DEPLOYMENT_LABEL,
  FIELD_MANAGER,
  identityOf,
  type KubeObject,
  keyOf,
  keyText,
  type ObjectKey,
} from './domain/kube-object.ts';
export { KubernetesError } from './domain/kubernetes-error.ts';
export { diffLines } from './domain/object-diff.ts';
export { nextStep, type ObjectStep, pruneStep, wasMadeByUs } from './domain/ownership.ts';
export { type Document, type Scope, type WantedObject, wantedObjects } from './domain/wanted-objects.ts';
