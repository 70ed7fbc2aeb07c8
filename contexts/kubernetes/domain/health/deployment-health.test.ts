import {
  CRASH,
  describeHealth,
  FIRST_PULL,
  type HealthRow,
  NO_IMAGE,
  NO_ROOM,
  QUOTA,
  STARTING,
} from '../../testing/health-rows.ts';
import { conditions, live, pod } from '../../testing/live-object.ts';
import type { KubeObject } from '../kube-object.ts';

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

const DEPLOYMENTS: readonly HealthRow[] = [
  { why: 'all replicas are new and available', object: deployment(ROLLED_OUT), want: 'Available ' },
  { why: 'none are desired', object: deployment({}, { replicas: 0 }), want: 'Available ' },
  {
    why: 'one is desired unless told',
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
    says: /^container web keeps crashing: OOMKilled, exit code 137$/,
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

describeHealth('Deployments', DEPLOYMENTS);
