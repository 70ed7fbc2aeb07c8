import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditions, live, pod } from '../../testing/live-object.ts';
import type { KubeObject } from '../kube-object.ts';
import { judgeHealth } from './judge-health.ts';
import type { ObjectEvent } from './object-health.ts';

interface Row {
  readonly why: string;
  readonly object: KubeObject;
  readonly pods?: readonly KubeObject[];
  readonly events?: readonly ObjectEvent[];
  /** State and reason. */
  readonly want: string;
  readonly says?: RegExp;
}

const CRASH = pod(
  { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container=web' },
  {
    restartCount: 3,
    lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
  },
);
const NO_IMAGE = pod({ reason: 'ImagePullBackOff', message: 'Back-off pulling image' });
const FIRST_PULL = pod({ reason: 'ErrImagePull' });
const STARTING = pod({ reason: 'ContainerCreating' });
const NO_ROOM = live('v1/Pod', {
  status: {
    phase: 'Pending',
    conditions: conditions('PodScheduled=False Unschedulable 0/3 nodes are available: 3 Insufficient cpu.'),
  },
});
const QUOTA: ObjectEvent = {
  type: 'Warning',
  reason: 'FailedCreate',
  message:
    'Error creating: pods "web-0" is forbidden: exceeded quota: team-a, requested: pods=1, used: pods=2, limited: pods=2',
};

function deployment(status: object, spec: object = {}): KubeObject {
  return live('apps/v1/Deployment', { spec: { replicas: 3, ...spec }, status: { observedGeneration: 2, ...status } });
}

const ROLLED_OUT = {
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  conditions: conditions('Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetAvailable'),
};
const LATE = conditions(
  'Available=False',
  'Progressing=False ProgressDeadlineExceeded ReplicaSet "web-6d4c" has timed out',
);

const DEPLOYMENTS: readonly Row[] = [
  { why: 'all replicas are new and available', object: deployment(ROLLED_OUT), want: 'Available ' },
  { why: 'none are wanted', object: deployment({}, { replicas: 0 }), want: 'Available ' },
  {
    why: 'one is wanted unless told',
    object: live('apps/v1/Deployment', { spec: {}, status: { observedGeneration: 2 } }),
    want: 'Progressing Updating',
  },
  {
    why: 'all were fine, of the generation before',
    object: deployment({ ...ROLLED_OUT, observedGeneration: 1 }),
    want: 'Progressing NotObserved',
  },
  { why: 'no status at all', object: live('apps/v1/Deployment', { spec: {} }), want: 'Progressing NotObserved' },
  { why: 'one is new', object: deployment({ ...ROLLED_OUT, updatedReplicas: 1 }), want: 'Progressing Updating' },
  {
    why: 'old ones are left',
    object: deployment({ ...ROLLED_OUT, replicas: 4 }),
    want: 'Progressing Updating',
    says: /old replicas/,
  },
  {
    why: 'one is not available',
    object: deployment({ ...ROLLED_OUT, availableReplicas: 2 }),
    want: 'Progressing NotReady',
  },
  {
    why: 'it is paused half way',
    object: deployment({ ...ROLLED_OUT, updatedReplicas: 1 }, { paused: true }),
    want: 'Progressing Paused',
  },
  { why: 'it is paused and done', object: deployment(ROLLED_OUT, { paused: true }), want: 'Available ' },
  {
    why: 'no progress in time',
    object: deployment({ ...ROLLED_OUT, updatedReplicas: 1, conditions: LATE }),
    want: 'Degraded ProgressDeadlineExceeded',
  },
  {
    why: 'no progress in time, and it is known why',
    object: deployment({ ...ROLLED_OUT, updatedReplicas: 1, conditions: LATE }),
    pods: [NO_ROOM],
    want: 'Degraded Unschedulable',
  },
  {
    why: 'it crashes',
    object: deployment({ ...ROLLED_OUT, availableReplicas: 2 }),
    pods: [pod(), STARTING, CRASH],
    want: 'Degraded CrashLoop',
    says: /^container web ends again and again: OOMKilled, exit code 137$/,
  },
  {
    why: 'there is no image',
    object: deployment({ ...ROLLED_OUT, updatedReplicas: 1 }),
    pods: [FIRST_PULL, NO_IMAGE],
    want: 'Degraded ImagePull',
    says: /registry\.example\/web:2 cannot be pulled$/,
  },
  {
    why: 'a first pull went wrong',
    object: deployment({ updatedReplicas: 1 }),
    pods: [FIRST_PULL],
    want: 'Progressing ImagePull',
  },
  {
    why: 'there is no room',
    object: deployment({ updatedReplicas: 1 }),
    pods: [NO_ROOM],
    want: 'Progressing Unschedulable',
    says: /Insufficient cpu/,
  },
  { why: 'a Pod of old crashes while all is well', object: deployment(ROLLED_OUT), pods: [CRASH], want: 'Available ' },
  {
    why: 'the quota is used up',
    object: deployment({
      updatedReplicas: 2,
      conditions: conditions(`ReplicaFailure=True FailedCreate ${QUOTA.message}`),
    }),
    want: 'Degraded Quota',
    says: /^the quota team-a /,
  },
  {
    why: 'Pods are refused by a webhook',
    object: deployment({ conditions: conditions('ReplicaFailure=True FailedCreate denied the request: no latest') }),
    want: 'Degraded ReplicaFailure',
  },
];

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

const OTHER_WORKLOADS: readonly Row[] = [
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
    says: /still there/,
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

const JOBS_AND_PODS: readonly Row[] = [
  {
    why: 'a Job is done',
    object: live('batch/v1/Job', { status: { conditions: conditions('SuccessCriteriaMet=True', 'Complete=True') } }),
    want: 'Available ',
  },
  {
    why: 'a Job runs',
    object: live('batch/v1/Job', { status: { active: 1 } }),
    pods: [pod()],
    want: 'Progressing Running',
  },
  {
    why: 'a Job went wrong',
    object: live('batch/v1/Job', {
      status: {
        conditions: conditions('Failed=True BackoffLimitExceeded Job has reached the specified backoff limit'),
      },
    }),
    want: 'Degraded BackoffLimitExceeded',
  },
  {
    why: 'a Job is suspended',
    object: live('batch/v1/Job', {
      spec: { suspend: true },
      status: { conditions: conditions('Suspended=True JobSuspended') },
    }),
    want: 'Progressing Suspended',
  },
  {
    why: 'a Job has no image',
    object: live('batch/v1/Job', { status: { active: 1 } }),
    pods: [NO_IMAGE],
    want: 'Degraded ImagePull',
  },
  { why: 'a Job has no quota', object: live('batch/v1/Job', { status: {} }), events: [QUOTA], want: 'Degraded Quota' },
  { why: 'a CronJob is there', object: live('batch/v1/CronJob', { spec: { schedule: '@daily' } }), want: 'Available ' },
  {
    why: 'a CronJob is suspended',
    object: live('batch/v1/CronJob', { spec: { suspend: true } }),
    want: 'Available Suspended',
  },
  { why: 'a Pod is ready', object: pod(), want: 'Available ' },
  { why: 'a Pod starts', object: STARTING, want: 'Progressing NotReady' },
  { why: 'a Pod crashes', object: CRASH, want: 'Degraded CrashLoop' },
  {
    why: 'a Pod crashes with an exit code',
    object: pod({ reason: 'CrashLoopBackOff' }, { lastState: { terminated: { exitCode: 1, reason: 'Error' } } }),
    want: 'Degraded CrashLoop',
    says: /again: exit code 1$/,
  },
  {
    why: 'a Pod misses its Secret',
    object: pod({ reason: 'CreateContainerConfigError', message: 'secret "db" not found' }),
    want: 'Progressing CreateContainerConfigError',
    says: /secret "db" not found/,
  },
  {
    why: 'a container before it crashes',
    object: live('v1/Pod', {
      status: {
        phase: 'Pending',
        initContainerStatuses: [{ name: 'init', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
      },
    }),
    want: 'Degraded CrashLoop',
    says: /^container init ends again and again$/,
  },
  { why: 'a Pod is through', object: live('v1/Pod', { status: { phase: 'Succeeded' } }), want: 'Available ' },
  {
    why: 'a Pod was evicted',
    object: live('v1/Pod', { status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' } }),
    want: 'Degraded PodFailed',
    says: /^Evicted: The node/,
  },
  { why: 'a Pod ended badly', object: live('v1/Pod', { status: { phase: 'Failed' } }), want: 'Degraded PodFailed' },
];

const OTHERS: readonly Row[] = [
  {
    why: 'a claim is bound',
    object: live('v1/PersistentVolumeClaim', { status: { phase: 'Bound' } }),
    want: 'Available ',
  },
  {
    why: 'a claim is not yet',
    object: live('v1/PersistentVolumeClaim', { status: { phase: 'Pending' } }),
    want: 'Progressing NotBound',
  },
  {
    why: 'a claim waits for a Pod',
    object: live('v1/PersistentVolumeClaim', { status: { phase: 'Pending' } }),
    events: [{ type: 'Normal', reason: 'WaitForFirstConsumer', message: '' }],
    want: 'Available WaitForFirstConsumer',
  },
  {
    why: 'a claim gets nothing',
    object: live('v1/PersistentVolumeClaim', { status: { phase: 'Pending' } }),
    events: [{ type: 'Warning', reason: 'ProvisioningFailed', message: 'no class' }],
    want: 'Degraded ProvisioningFailed',
  },
  {
    why: 'a claim lost its volume',
    object: live('v1/PersistentVolumeClaim', { status: { phase: 'Lost' } }),
    want: 'Degraded VolumeLost',
  },
  {
    why: 'a Service',
    object: live('v1/Service', { spec: { type: 'ClusterIP' }, status: { loadBalancer: {} } }),
    want: 'Available ',
  },
  {
    why: 'a Service waits for its load balancer',
    object: live('v1/Service', { spec: { type: 'LoadBalancer' }, status: { loadBalancer: {} } }),
    want: 'Progressing NoAddress',
  },
  {
    why: 'a Service has its load balancer',
    object: live('v1/Service', {
      spec: { type: 'LoadBalancer' },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    }),
    want: 'Available ',
  },
  {
    why: 'an Ingress without address',
    object: live('networking.k8s.io/v1/Ingress', { status: { loadBalancer: {} } }),
    want: 'Applied NoAddress',
  },
  {
    why: 'an Ingress with one',
    object: live('networking.k8s.io/v1/Ingress', { status: { loadBalancer: { ingress: [{ hostname: 'a' }] } } }),
    want: 'Available ',
  },
  {
    why: 'a definition is established',
    object: live('apiextensions.k8s.io/v1/CustomResourceDefinition', {
      status: { conditions: conditions('NamesAccepted=True', 'Established=True') },
    }),
    want: 'Available ',
  },
  {
    why: 'a definition is not yet',
    object: live('apiextensions.k8s.io/v1/CustomResourceDefinition', {
      status: { conditions: conditions('NamesAccepted=True', 'Established=False Installing') },
    }),
    want: 'Progressing NotEstablished',
  },
  {
    why: 'a definition whose names are taken',
    object: live('apiextensions.k8s.io/v1/CustomResourceDefinition', {
      status: { conditions: conditions('NamesAccepted=False PluralConflict "gadgets" is in use') },
    }),
    want: 'Degraded PluralConflict',
  },
  {
    why: 'an APIService of the server itself',
    object: live('apiregistration.k8s.io/v1/APIService', { spec: { service: null } }),
    want: 'Available ',
  },
  {
    why: 'an APIService that answers',
    object: live('apiregistration.k8s.io/v1/APIService', {
      spec: { service: { name: 'm' } },
      status: { conditions: conditions('Available=True Passed') },
    }),
    want: 'Available ',
  },
  {
    why: 'an APIService that does not',
    object: live('apiregistration.k8s.io/v1/APIService', {
      spec: { service: { name: 'm' } },
      status: { conditions: conditions('Available=False MissingEndpoints no endpoints') },
    }),
    want: 'Progressing MissingEndpoints',
  },
  {
    why: 'an autoscaler works',
    object: live('autoscaling/v2/HorizontalPodAutoscaler', {
      status: { conditions: conditions('AbleToScale=True', 'ScalingActive=True', 'ScalingLimited=True') },
    }),
    want: 'Available ',
  },
  {
    why: 'an autoscaler was not looked at',
    object: live('autoscaling/v2/HorizontalPodAutoscaler', {}),
    want: 'Progressing NotObserved',
  },
  {
    why: 'an autoscaler has no metrics yet',
    object: live('autoscaling/v2/HorizontalPodAutoscaler', {
      status: { conditions: conditions('AbleToScale=True', 'ScalingActive=False FailedGetResourceMetric') },
    }),
    want: 'Progressing FailedGetResourceMetric',
  },
  {
    why: 'an autoscaler at zero',
    object: live('autoscaling/v2/HorizontalPodAutoscaler', {
      status: { conditions: conditions('AbleToScale=True', 'ScalingActive=False ScalingDisabled') },
    }),
    want: 'Available ',
  },
  {
    why: 'an autoscaler of nothing',
    object: live('autoscaling/v2/HorizontalPodAutoscaler', {
      status: { conditions: conditions('AbleToScale=False FailedGetScale not found') },
    }),
    want: 'Degraded FailedGetScale',
  },
  {
    why: 'a budget is kept',
    object: live('policy/v1/PodDisruptionBudget', {
      status: { observedGeneration: 2, currentHealthy: 2, desiredHealthy: 2 },
    }),
    want: 'Available ',
  },
  {
    why: 'a budget is not',
    object: live('policy/v1/PodDisruptionBudget', {
      status: { observedGeneration: 2, currentHealthy: 1, desiredHealthy: 2 },
    }),
    want: 'Progressing TooFewHealthy',
  },
  {
    why: 'a budget of old',
    object: live('policy/v1/PodDisruptionBudget', { status: { observedGeneration: 1 } }),
    want: 'Progressing NotObserved',
  },
  { why: 'a Namespace', object: live('v1/Namespace', { status: { phase: 'Active' } }), want: 'Available ' },
  {
    why: 'a Namespace on its way out',
    object: live('v1/Namespace', {
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      status: {
        phase: 'Terminating',
        conditions: conditions(
          'NamespaceContentRemaining=True SomeResourcesRemain gadgets.a.io has 1',
          'NamespaceFinalizersRemaining=True SomeFinalizersRemain a.io/x in 1',
        ),
      },
    }),
    want: 'Progressing Terminating',
    says: /^it is being deleted: a\.io\/x in 1$/,
  },
  {
    why: 'anything on its way out',
    object: live('v1/ConfigMap', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    want: 'Progressing Terminating',
  },
  { why: 'a ConfigMap', object: live('v1/ConfigMap', { data: {} }), want: 'Available ' },
];

const GADGET = 'example.io/v1/Gadget';
const CUSTOM: readonly Row[] = [
  { why: 'nobody speaks for it', object: live(GADGET, {}), want: 'Applied NoStatus' },
  { why: 'its status has no verdict', object: live(GADGET, { status: { size: 3 } }), want: 'Applied NoVerdict' },
  {
    why: 'it is ready',
    object: live(GADGET, { status: { conditions: conditions('Ready=True') } }),
    want: 'Available ',
  },
  {
    why: 'it is ready, as of old',
    object: live(GADGET, { status: { observedGeneration: 1, conditions: conditions('Ready=True') } }),
    want: 'Progressing NotObserved',
  },
  {
    why: 'it was ready, the condition says of when',
    object: live(GADGET, { status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] } }),
    want: 'Progressing NotObserved',
  },
  {
    why: 'it is not ready',
    object: live(GADGET, {
      status: { observedGeneration: 2, conditions: conditions('Ready=False Creating takes a while') },
    }),
    want: 'Progressing Creating',
  },
  {
    why: 'it may be ready',
    object: live(GADGET, { status: { conditions: conditions('Available=Unknown') } }),
    want: 'Progressing NotAvailable',
  },
  {
    why: 'Ready counts before Accepted',
    object: live(GADGET, { status: { conditions: conditions('Accepted=True', 'Ready=False') } }),
    want: 'Progressing NotReady',
  },
  {
    why: 'it stalled',
    object: live(GADGET, { status: { conditions: conditions('Ready=True', 'Stalled=True BadSpec no such size') } }),
    want: 'Degraded BadSpec',
  },
  {
    why: 'it is not degraded',
    object: live(GADGET, { status: { conditions: conditions('Degraded=False', 'Available=True') } }),
    want: 'Available ',
  },
  {
    why: 'it is busy',
    object: live(GADGET, { status: { conditions: conditions('Progressing=True') } }),
    want: 'Progressing Progressing',
  },
  {
    why: 'a kind of the server that has a status and no conditions',
    object: live('v1/ResourceQuota', { status: { used: {} } }),
    want: 'Available ',
  },
];

const NO_RULES = { rules: [], evaluate: () => 'no rule was given' };

it('is missed when it is not there', () => assert.equal(judgeHealth(undefined, NO_RULES).reason, 'Missing'));

for (const [name, rows] of Object.entries({ DEPLOYMENTS, OTHER_WORKLOADS, JOBS_AND_PODS, OTHERS, CUSTOM })) {
  describe(`health: ${name.toLowerCase().replaceAll('_', ' ')}`, () => {
    for (const { why, object, pods = [], events = [], want, says = /^/ } of rows) {
      it(why, () => {
        const { state, reason, message } = judgeHealth({ object, pods, events }, NO_RULES);
        assert.equal(`${state} ${reason}`, want, message);
        assert.match(message, says);
      });
    }
  });
}
