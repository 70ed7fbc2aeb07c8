import { CRASH, describeHealth, type HealthRow, NO_IMAGE, QUOTA, STARTING } from '../../testing/health-rows.ts';
import { conditions, live, pod } from '../../testing/live-object.ts';

const JOBS_AND_PODS: readonly HealthRow[] = [
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
    says: /keeps crashing: exit code 1$/,
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
    says: /^container init keeps crashing$/,
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

describeHealth('Jobs and Pods', JOBS_AND_PODS);
