import { CRASH, describeHealth, type HealthRow, QUOTA } from '../../testing/health-rows.ts';
import { live } from '../../testing/live-object.ts';
import type { KubeObject } from '../kube-object.ts';

function statefulSet(status: object, spec: object = {}): KubeObject {
  const its = { observedGeneration: 2, replicas: 3, availableReplicas: 3, updatedReplicas: 3, ...status };
  return live('apps/v1/StatefulSet', { spec: { replicas: 3, ...spec }, status: its });
}

function daemonSet(status: object, spec: object = {}): KubeObject {
  const its = {
    observedGeneration: 2,
    desiredNumberScheduled: 3,
    updatedNumberScheduled: 3,
    numberAvailable: 3,
    ...status,
  };
  return live('apps/v1/DaemonSet', { spec, status: its });
}

const OTHER_WORKLOADS: readonly HealthRow[] = [
  { why: 'a StatefulSet is done', object: statefulSet({}), want: 'Available ' },
  { why: 'a StatefulSet of old', object: statefulSet({ observedGeneration: 1 }), want: 'Progressing NotObserved' },
  {
    why: 'a StatefulSet that updates',
    object: statefulSet({ updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' }),
    want: 'Progressing Updating',
  },
  {
    why: 'a StatefulSet never updated',
    object: statefulSet({ updatedReplicas: 0, currentRevision: 'a', updateRevision: 'a' }),
    want: 'Available ',
  },
  {
    why: 'a StatefulSet up to its partition',
    object: statefulSet(
      { updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
    ),
    want: 'Available ',
  },
  {
    why: 'a StatefulSet that others update',
    object: statefulSet(
      { updatedReplicas: 0, currentRevision: 'a', updateRevision: 'b' },
      { updateStrategy: { type: 'OnDelete' } },
    ),
    want: 'Available ',
  },
  {
    why: 'a StatefulSet with one missing',
    object: statefulSet({ availableReplicas: 2 }),
    want: 'Progressing NotReady',
  },
  {
    why: 'a StatefulSet that shrinks',
    object: statefulSet({ replicas: 4, availableReplicas: 4 }),
    want: 'Progressing NotReady',
    says: /still exist/,
  },
  {
    why: 'a StatefulSet without quota',
    object: statefulSet({ availableReplicas: 2 }),
    events: [QUOTA],
    want: 'Degraded Quota',
  },
  {
    why: 'a StatefulSet that crashes',
    object: statefulSet({ availableReplicas: 2 }),
    pods: [CRASH],
    want: 'Degraded CrashLoop',
  },
  { why: 'a DaemonSet is done', object: daemonSet({}), want: 'Available ' },
  {
    why: 'a DaemonSet where no node is',
    object: daemonSet({ desiredNumberScheduled: 0, updatedNumberScheduled: 0, numberAvailable: 0 }),
    want: 'Available ',
  },
  { why: 'a DaemonSet of old', object: daemonSet({ observedGeneration: 1 }), want: 'Progressing NotObserved' },
  { why: 'a DaemonSet that updates', object: daemonSet({ updatedNumberScheduled: 1 }), want: 'Progressing Updating' },
  {
    why: 'a DaemonSet that others update',
    object: daemonSet({ updatedNumberScheduled: 1 }, { updateStrategy: { type: 'OnDelete' } }),
    want: 'Available ',
  },
  { why: 'a DaemonSet with one missing', object: daemonSet({ numberAvailable: 2 }), want: 'Progressing NotReady' },
  {
    why: 'a DaemonSet that crashes',
    object: daemonSet({ numberAvailable: 2 }),
    pods: [CRASH],
    want: 'Degraded CrashLoop',
  },
  {
    why: 'a ReplicaSet is done',
    object: live('apps/v1/ReplicaSet', {
      spec: { replicas: 1 },
      status: { observedGeneration: 2, replicas: 1, availableReplicas: 1 },
    }),
    want: 'Available ',
  },
  {
    why: 'a ReplicaSet is not',
    object: live('apps/v1/ReplicaSet', { spec: { replicas: 1 }, status: { observedGeneration: 2, replicas: 1 } }),
    want: 'Progressing NotReady',
  },
];

describeHealth('other workloads', OTHER_WORKLOADS);
