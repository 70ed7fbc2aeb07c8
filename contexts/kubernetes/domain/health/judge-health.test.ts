import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeHealth, type HealthRow } from '../../testing/health-rows.ts';
import { conditions, live } from '../../testing/live-object.ts';
import { judgeHealth } from './judge-health.ts';

const OTHERS: readonly HealthRow[] = [
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

describeHealth('other kinds', OTHERS);

it('is missed when it is not there', () => {
  assert.equal(judgeHealth(undefined, { rules: [], evaluate: () => true }).reason, 'Missing');
});
