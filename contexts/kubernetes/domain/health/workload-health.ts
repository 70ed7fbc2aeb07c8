import { at, numberAt, textAt } from '../json-value.ts';
import type { KubeObject } from '../kube-object.ts';
import { conditionOf, notObserved } from './conditions.ts';
import {
  AVAILABLE,
  degraded,
  type ObjectEvent,
  type ObjectHealth,
  type ObjectView,
  progressing,
} from './object-health.ts';
import { podTrouble } from './pod-health.ts';

export function deploymentHealth(view: ObjectView): ObjectHealth {
  const { object } = view;
  const early = notObserved(object);
  if (early !== undefined) return early;
  const refused = conditionOf(object, 'ReplicaFailure');
  if (refused?.status === 'True') return quotaIn(refused.message) ?? degraded('ReplicaFailure', refused.message);
  const desired = numberAt(object, 'spec', 'replicas') ?? 1;
  const { updated, available, all } = countsOf(object);
  if (updated >= desired && available >= desired && all <= desired) return AVAILABLE;
  const progress = conditionOf(object, 'Progressing');
  const isLate = progress?.status === 'False' && progress.reason === 'ProgressDeadlineExceeded';
  const why = whatHolds(view);
  if (isLate)
    return degraded(
      why?.reason ?? 'ProgressDeadlineExceeded',
      why?.message ?? 'it made no progress within its deadline',
    );
  if (why !== undefined) return why;
  if (updated < desired && isPaused(object)) return progressing('Paused', 'its rollout is paused');
  if (updated < desired) return progressing('Updating', 'not all replicas are updated yet');
  if (all > updated) return progressing('Updating', 'old replicas still exist');
  return progressing('NotReady', 'not all replicas are available yet');
}

export function statefulSetHealth(view: ObjectView): ObjectHealth {
  const { object } = view;
  const early = notObserved(object);
  if (early !== undefined) return early;
  const desired = numberAt(object, 'spec', 'replicas') ?? 1;
  const { updated, available, all } = countsOf(object);
  const partition = numberAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0;
  const toUpdate = updatesByItself(object) ? Math.max(0, desired - partition) : 0;
  // A set that was never updated counts no replica as updated; its two revisions are then equal.
  const isUpdated = updated >= toUpdate || revisionsAgree(object);
  if (isUpdated && available >= desired && all <= desired) return AVAILABLE;
  const why = whatHolds(view);
  if (why !== undefined) return why;
  if (!isUpdated) return progressing('Updating', 'not all replicas are updated yet');
  return progressing('NotReady', all > desired ? 'surplus replicas still exist' : 'not all replicas are available yet');
}

export function daemonSetHealth(view: ObjectView): ObjectHealth {
  const { object } = view;
  const early = notObserved(object);
  if (early !== undefined) return early;
  const desired = numberAt(object, 'status', 'desiredNumberScheduled') ?? 0;
  const updated = numberAt(object, 'status', 'updatedNumberScheduled') ?? 0;
  const available = numberAt(object, 'status', 'numberAvailable') ?? 0;
  const isUpdated = updated >= desired || !updatesByItself(object);
  if (isUpdated && available >= desired) return AVAILABLE;
  const why = whatHolds(view);
  if (why !== undefined) return why;
  if (!isUpdated) return progressing('Updating', 'not all nodes run the new Pod yet');
  return progressing('NotReady', 'not all nodes have an available Pod yet');
}

export function replicaSetHealth(view: ObjectView): ObjectHealth {
  const { object } = view;
  const early = notObserved(object);
  if (early !== undefined) return early;
  const refused = conditionOf(object, 'ReplicaFailure');
  if (refused?.status === 'True') return quotaIn(refused.message) ?? degraded('ReplicaFailure', refused.message);
  const desired = numberAt(object, 'spec', 'replicas') ?? 1;
  const { available, all } = countsOf(object);
  if (available >= desired && all <= desired) return AVAILABLE;
  return whatHolds(view) ?? progressing('NotReady', 'not all replicas are available yet');
}

/** Takes only the quota's name: the start of the message has the generated name of a Pod. */
function quotaTrouble(events: readonly ObjectEvent[]): ObjectHealth | undefined {
  return quotaIn(events.find(({ reason, message }) => reason === 'FailedCreate' && quotaIn(message))?.message ?? '');
}

function quotaIn(message: string): ObjectHealth | undefined {
  const name = /exceeded quota: ([^\s,]+)/.exec(message)?.[1];
  return name === undefined ? undefined : degraded('Quota', `the quota ${name} does not allow more Pods`);
}

function whatHolds({ pods, events }: ObjectView): ObjectHealth | undefined {
  return quotaTrouble(events) ?? podTrouble(pods);
}

function countsOf(object: KubeObject) {
  return {
    all: numberAt(object, 'status', 'replicas') ?? 0,
    updated: numberAt(object, 'status', 'updatedReplicas') ?? 0,
    available: numberAt(object, 'status', 'availableReplicas') ?? 0,
  };
}

function updatesByItself(object: KubeObject): boolean {
  return textAt(object, 'spec', 'updateStrategy', 'type') !== 'OnDelete';
}

function revisionsAgree(object: KubeObject): boolean {
  const current = textAt(object, 'status', 'currentRevision');
  return current !== undefined && current === textAt(object, 'status', 'updateRevision');
}

function isPaused(object: KubeObject): boolean {
  return at(object, 'spec', 'paused') === true;
}

/** Available once complete: a rollout that delivers a migration must know that it is done. */
export function jobHealth({ object, pods, events }: ObjectView): ObjectHealth {
  if (conditionOf(object, 'Complete')?.status === 'True') return AVAILABLE;
  const failed = conditionOf(object, 'Failed');
  if (failed?.status === 'True') return degraded(failed.reason || 'JobFailed', failed.message);
  if (at(object, 'spec', 'suspend') === true) return progressing('Suspended', 'it is suspended');
  return quotaTrouble(events) ?? podTrouble(pods) ?? progressing('Running', 'it has not completed yet');
}

/** The outcome of its Jobs does not count: a failed nightly run says nothing about what was delivered. */
export function cronJobHealth({ object }: ObjectView): ObjectHealth {
  return at(object, 'spec', 'suspend') === true
    ? { ...AVAILABLE, reason: 'Suspended', message: 'it is suspended' }
    : AVAILABLE;
}
