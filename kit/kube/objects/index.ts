export { type ConditionSummary, type SummaryOptions, summarizeConditions } from './condition-summary.ts';
export {
  CONDITION_STATUSES,
  type Condition,
  type ConditionChange,
  type ConditionStatus,
  conditionStatus,
  getCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './conditions.ts';
export { EventCorrelator, type EventDecision } from './events/event-correlator.ts';
export { type EventCounts, EventRecorder, type EventRecorderDeps } from './events/event-recorder.ts';
export { type EventNote, type EventSource, type EventType, type KubeEvent } from './events/kube-event.ts';
export { addFinalizer, hasFinalizer, removeFinalizer } from './finalizers.ts';
export { kubeTime } from './kube-time.ts';
export { OBJECT_ERRORS, ObjectError, type ObjectErrorCode } from './object-error.ts';
export {
  controllerOf,
  findOwner,
  isControlledBy,
  type OwnerKind,
  type OwnerReferenceOptions,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owner-references.ts';
