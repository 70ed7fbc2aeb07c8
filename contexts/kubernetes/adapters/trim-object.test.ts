import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeHealth } from '../domain/health/judge-health.ts';
import { conditions, live, pod } from '../testing/live-object.ts';
import { trimEvent, trimOwned, trimPod } from './trim-dependent.ts';
import { trimObject } from './trim-object.ts';

const SMALL = { patterns: [], isWhole: false };
const JUDGED = { rules: [], evaluate: () => 'no rule was given' };

describe('what is kept of an object', () => {
  const ROWS = [
    {
      why: 'a rollout that is paused',
      object: live('apps/v1/Deployment', { spec: { replicas: 2, paused: true, template: { spec: {} } }, status: {} }),
    },
    {
      why: 'a set that is updated by hand',
      object: live('apps/v1/StatefulSet', {
        spec: { replicas: 1, updateStrategy: { type: 'OnDelete' }, template: {} },
        status: { observedGeneration: 2, replicas: 1, availableReplicas: 1 },
      }),
    },
    {
      why: 'an API that others serve',
      object: live('apiregistration.k8s.io/v1/APIService', { spec: { service: {} } }),
    },
    { why: 'a load balancer', object: live('v1/Service', { spec: { type: 'LoadBalancer' }, status: {} }) },
    {
      why: 'a custom object',
      object: live('a.io/v1/Gadget', {
        spec: { big: {} },
        status: { conditions: conditions('Ready=False Early wait') },
      }),
    },
    {
      why: 'one that is on its way out',
      object: live('v1/ConfigMap', { metadata: { deletionTimestamp: 't', finalizers: ['a.io/x'] }, data: { a: '1' } }),
    },
  ];
  for (const { why, object } of ROWS) {
    it(`judges the same: ${why}`, () => {
      const kept = trimObject(object, SMALL);
      const [before, after] = [object, kept].map((its) => judgeHealth({ object: its, pods: [], events: [] }, JUDGED));
      assert.deepEqual(after, before);
    });
  }

  it('is little, unless there are rules about it, and our fields are a hash in any case', () => {
    const object = live('v1/ConfigMap', { data: { a: 'x'.repeat(10_000) }, metadata: { managedFields: [{}] } });
    assert.ok(JSON.stringify(trimObject(object, SMALL)).length < 400);
    const whole = trimObject(object, { patterns: [], isWhole: true });
    assert.ok('data' in whole);
    assert.equal(whole.metadata.managedFields, undefined);
    assert.equal(whole.held, trimObject(object, SMALL).held);
  });

  it('is of a Pod whose it is and why it does not run', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs-1', controller: true };
    const crashing = pod({ reason: 'CrashLoopBackOff' });
    const owned = { ...crashing, spec: { big: true }, metadata: { ...crashing.metadata, ownerReferences: [owner] } };
    const kept = trimPod(owned);
    assert.equal(kept.ownerUid, 'rs-1');
    assert.equal('spec' in kept, false);
    const [before, after] = [owned, kept].map((its) => judgeHealth({ object: its, pods: [], events: [] }, JUDGED));
    assert.deepEqual(after, before);
    assert.equal(trimOwned(crashing).ownerUid, '');
  });

  it('is of an event what it is about, if health goes by it', () => {
    const event = (reason: string) => live('v1/Event', { reason, message: 'why', involvedObject: { uid: 'u-9' } });
    assert.deepEqual(
      [trimEvent(event('FailedCreate')).aboutUid, trimEvent(event('FailedCreate')).message],
      ['u-9', 'why'],
    );
    assert.deepEqual([trimEvent(event('Scheduled')).aboutUid, trimEvent(event('Scheduled')).message], ['', '']);
  });
});
