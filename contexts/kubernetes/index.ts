export { type CarryOutDeps, carryOut, type Outcome } from './application/carry-out.ts';
export type {
  ApplyOptions,
  ClusterApi,
  ClusterWatch,
  Discovery,
  InventoryStore,
  ObjectChange,
  WriteAnswer,
} from './application/ports.ts';
export type { Delivery } from './application/survey.ts';
export { appliedState, driftOf, heldHash } from './domain/drift.ts';
export { conflictsOf } from './domain/field-conflict.ts';
export { parseFieldPattern } from './domain/field-pattern.ts';
export { forApply } from './domain/ignore-fields.ts';
export { immutableFields } from './domain/immutable-fields.ts';
export { type KubeObject, keyOf, type ObjectKey } from './domain/kube-object.ts';
export { diffLines } from './domain/object-diff.ts';
export { nextStep, pruneStep, wasMadeByUs } from './domain/ownership.ts';
export { type Document, wantedObjects } from './domain/wanted-objects.ts';
