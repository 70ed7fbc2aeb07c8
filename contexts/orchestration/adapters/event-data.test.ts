import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TargetId } from '#protocol/targets';
import type { Deployment } from '../domain/deployment/deployment.ts';
import { aDeployment } from '../testing/a-revision.ts';
import { aRow } from '../testing/a-row.ts';
import { eventData } from './event-data.ts';

const LARGE = 'x'.repeat(1_000_000);
const deployed = (its: Partial<Deployment> = {}): Deployment => {
  const plain = aDeployment();
  return { ...plain, spec: { ...plain.spec, config: { large: LARGE } }, ...its };
};

for (const type of [
  'deployment.statusChanged',
  'deployment.deleting',
  'deployment.deleted',
  'rollout.planned',
  'rollout.paused',
  'rollout.resumed',
  'rollout.finished',
] as const) {
  test(`${type} has the state of a deployment, and not its spec`, () => {
    const data = eventData({ type, deployment: deployed() }) as Record<string, unknown>;
    assert.ok(JSON.stringify(data).length < 10_000);
    assert.deepEqual(
      ['manifest', 'placement', 'rollout', 'healthRules', 'driftPolicy', 'config'].filter((field) => field in data),
      [],
    );
    for (const field of ['name', 'uid', 'generation', 'revision', 'conditions', 'status', 'etag'])
      assert.ok(field in data);
  });
}

for (const type of ['deployment.created', 'deployment.updated'] as const) {
  test(`${type} has the spec too`, () => {
    const { config } = eventData({ type, deployment: deployed() }) as { readonly config: unknown };
    assert.deepEqual(config, { large: LARGE });
  });
}

test('a placement that explains very many targets is left out as a whole', () => {
  const excluded = Array.from({ length: 101 }, (_, nth) => ({
    id: `t-${nth}` as TargetId,
    why: 'Cordoned' as const,
    message: '',
  }));
  const of = (some: typeof excluded) => {
    const { status } = deployed();
    const deployment = deployed({ status: { ...status, placement: { ...status.placement, excluded: some } } });
    return (eventData({ type: 'rollout.planned', deployment }) as { status: object }).status;
  };
  assert.ok(!('placement' in of(excluded)));
  assert.ok('placement' in of(excluded.slice(1)));
});

test('a change of many targets names the first hundred, and of each some of its drift', () => {
  const drift = Array.from({ length: 50 }, (_, nth) => `v1/ConfigMap/default/c-${nth}`);
  const targets = Array.from({ length: 150 }, () => ({ ...aRow(), drift: drift as never }));
  const data = eventData({ type: 'delivery.changed', deployment: deployed(), targets });
  const { count, targets: named } = data as { count: number; targets: { drift: unknown[] }[] };
  assert.deepEqual([count, named.length, named[0]?.drift.length], [150, 100, 10]);
});
