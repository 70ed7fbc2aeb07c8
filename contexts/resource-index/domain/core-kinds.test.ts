import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coreKinds, withDefaults } from './core-kinds.ts';
import { healthOf, readyRules } from './health-of.ts';
import type { ObjectHealth } from './index-schema.ts';
import { schemaFaults } from './schema-faults.ts';

const KINDS = coreKinds('kubernetes');

function health(type: string, object: object): ObjectHealth {
  const kind = KINDS.find((each) => each.type === type);
  assert.ok(kind, type);
  return healthOf(object, readyRules(kind.health));
}

const conditions = (...all: readonly (readonly [string, string])[]) => all.map(([type, status]) => ({ type, status }));

describe('what is always indexed', () => {
  it('is in order, and begins with Pods and nodes', () => {
    assert.deepEqual(schemaFaults({ targetType: 'kubernetes', kinds: KINDS }), []);
    assert.deepEqual(
      KINDS.slice(0, 2).map(({ type }) => type),
      ['v1/Pod', 'v1/Node'],
    );
    assert.deepEqual(coreKinds('directory'), []);
  });

  it('has no Secrets, ConfigMaps or events', () => {
    for (const { type } of KINDS) assert.doesNotMatch(type, /Secret|ConfigMap|Event/);
  });

  it('lets events be of interest for an hour, unless told', () => {
    const event = { type: 'v1/Event', fields: [], health: [], only: [], expiry: undefined };
    assert.equal(withDefaults(event).expiry?.afterMs, 3_600_000);
    const told = { ...event, expiry: { afterMs: 60_000, from: ['a'] } };
    assert.equal(withDefaults(told), told);
    assert.equal(withDefaults({ ...event, type: 'v1/Pod' }).expiry, undefined);
  });
});

describe('how an object is', () => {
  const waiting = (reason: string) => ({ phase: 'Running', containerStatuses: [{ state: { waiting: { reason } } }] });
  const scaled = (status: object) => ({ metadata: { generation: 2 }, spec: { replicas: 3 }, status });
  const rows: readonly { why: string; type: string; object: object; want: ObjectHealth }[] = [
    {
      why: 'a Pod that is ready',
      type: 'v1/Pod',
      object: { status: { phase: 'Running', conditions: conditions(['Ready', 'True']) } },
      want: 'Healthy',
    },
    {
      why: 'a Pod that has done its work',
      type: 'v1/Pod',
      object: { status: { phase: 'Succeeded' } },
      want: 'Healthy',
    },
    { why: 'a Pod that crashes', type: 'v1/Pod', object: { status: waiting('CrashLoopBackOff') }, want: 'Degraded' },
    {
      why: 'a Pod without an image',
      type: 'v1/Pod',
      object: { status: waiting('ImagePullBackOff') },
      want: 'Degraded',
    },
    { why: 'a Pod that waits', type: 'v1/Pod', object: { status: { phase: 'Pending' } }, want: 'Progressing' },
    { why: 'a Pod that failed', type: 'v1/Pod', object: { status: { phase: 'Failed' } }, want: 'Failed' },
    { why: 'a Pod of which nobody knows', type: 'v1/Pod', object: { status: { phase: 'Unknown' } }, want: 'Unknown' },
    {
      why: 'a Pod that goes',
      type: 'v1/Pod',
      object: {
        metadata: { deletionTimestamp: 'x' },
        status: { phase: 'Running', conditions: conditions(['Ready', 'True']) },
      },
      want: 'Progressing',
    },
    {
      why: 'a node that is not heard of',
      type: 'v1/Node',
      object: { status: { conditions: conditions(['Ready', 'Unknown']) } },
      want: 'Unknown',
    },
    {
      why: 'a node that is not ready',
      type: 'v1/Node',
      object: { status: { conditions: conditions(['Ready', 'False']) } },
      want: 'Failed',
    },
    {
      why: 'a node whose disk is full',
      type: 'v1/Node',
      object: { status: { conditions: conditions(['Ready', 'True'], ['DiskPressure', 'True']) } },
      want: 'Degraded',
    },
    {
      why: 'a Deployment that nobody looked at yet',
      type: 'apps/v1/Deployment',
      object: scaled({ observedGeneration: 1, updatedReplicas: 3, availableReplicas: 3 }),
      want: 'Progressing',
    },
    {
      why: 'a Deployment that is whole',
      type: 'apps/v1/Deployment',
      object: scaled({ observedGeneration: 2, updatedReplicas: 3, availableReplicas: 3 }),
      want: 'Healthy',
    },
    {
      why: 'a Deployment with too few',
      type: 'apps/v1/Deployment',
      object: scaled({ observedGeneration: 2, updatedReplicas: 3, availableReplicas: 2 }),
      want: 'Progressing',
    },
    {
      why: 'a Deployment that got nowhere',
      type: 'apps/v1/Deployment',
      object: scaled({ observedGeneration: 2, conditions: conditions(['Progressing', 'False']) }),
      want: 'Degraded',
    },
    {
      why: 'a Deployment of none',
      type: 'apps/v1/Deployment',
      object: { metadata: { generation: 1 }, spec: { replicas: 0 }, status: { observedGeneration: 1 } },
      want: 'Healthy',
    },
    {
      why: 'a Job that failed',
      type: 'batch/v1/Job',
      object: { status: { conditions: conditions(['Failed', 'True']) } },
      want: 'Failed',
    },
    { why: 'a Job that runs', type: 'batch/v1/Job', object: { status: { active: 1 } }, want: 'Progressing' },
    {
      why: 'a claim that is lost',
      type: 'v1/PersistentVolumeClaim',
      object: { status: { phase: 'Lost' } },
      want: 'Failed',
    },
    {
      why: 'a load balancer without an address',
      type: 'v1/Service',
      object: { spec: { type: 'LoadBalancer' }, status: { loadBalancer: {} } },
      want: 'Progressing',
    },
    { why: 'a Service within', type: 'v1/Service', object: { spec: { type: 'ClusterIP' } }, want: 'Healthy' },
    {
      why: 'a definition whose names are taken',
      type: 'apiextensions.k8s.io/v1/CustomResourceDefinition',
      object: { status: { conditions: conditions(['NamesAccepted', 'False']) } },
      want: 'Failed',
    },
  ];
  for (const { why, type, object, want } of rows)
    it(`${want} is ${why}`, () => assert.equal(health(type, object), want));

  it('is said by conditions where no rule says it', () => {
    const by = (...all: readonly (readonly [string, string])[]) =>
      healthOf({ status: { conditions: conditions(...all) } }, []);
    assert.equal(by(['Ready', 'True']), 'Healthy');
    assert.equal(by(['Ready', 'False']), 'Progressing');
    assert.equal(by(['Ready', 'True'], ['Stalled', 'True']), 'Degraded');
    assert.equal(by(['Failed', 'True'], ['Ready', 'True']), 'Failed');
    assert.equal(by(), 'Unknown');
  });
});
