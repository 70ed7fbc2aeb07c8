import assert from 'node:assert/strict';
import { it } from 'node:test';
import { separatePolicy } from '../domain/delivery-policy.ts';
import type { KubeObject } from '../domain/kube-object.ts';
import { applyObject } from './apply-object.ts';
import type { ClusterApi } from './ports.ts';
import type { PlannedObject } from './survey.ts';

const OBJECT: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'shop' } };
const LIVE: KubeObject = { ...OBJECT, metadata: { ...OBJECT.metadata, uid: 'first' } };

it('waits for an object that was deleted between the look and the apply, since what was applied goes with it', async (t) => {
  const leaving = { ...LIVE.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.io/holds'] };
  const apply: ClusterApi['apply'] = async () => ({ kind: 'done', object: { ...LIVE, metadata: leaving } });
  const planned: PlannedObject = {
    key: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'one' },
    object: OBJECT,
    live: LIVE,
    patterns: [],
    secrets: [],
    sent: 'hash',
    step: { kind: 'apply', origin: 'created', force: false },
    isSighted: true,
    isUntouched: true,
  };
  const separated = separatePolicy([]);
  assert.ok(separated.kind === 'separated');
  const { policy } = separated;
  const cluster = { apply } as Partial<ClusterApi> as ClusterApi;
  const answer = await applyObject({ cluster, policy }, planned, t.signal);
  assert.ok(answer.kind === 'waiting');
  assert.match(answer.message, /is being deleted, and waits for its finalizers example.io\/holds/);
});
