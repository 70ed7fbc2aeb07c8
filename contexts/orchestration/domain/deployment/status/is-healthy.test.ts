import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDeployment } from '../../../testing/a-revision.ts';
import type { Deployment } from '../deployment.ts';
import { NO_COUNTS } from './counts-after.ts';
import type { DeploymentStatus } from './deployment-status.ts';
import { isHealthy } from './is-healthy.ts';

const SURE = { kind: 'sure', excluded: [], retained: [], missing: [], held: [] } as const;

describe('a deployment is healthy', () => {
  for (const { why, its = {}, status = {}, want } of [
    { why: 'when all that is placed is available', want: true },
    { why: 'when it is placed nowhere', status: { counts: NO_COUNTS }, want: true },
    { why: 'not before what was asked for last is planned', its: { generation: 2 }, want: false },
    { why: 'not while a rollout is under way', its: { rollout: 1 }, want: false },
    { why: 'not while it is deleted', its: { deletion: { time: 1, by: 'a' } }, want: false },
    {
      why: 'not when one target is not available',
      status: { counts: { ...NO_COUNTS, placed: 2, available: 1 } },
      want: false,
    },
    { why: 'not with trouble', status: { trouble: { reason: 'PlanFailed', message: 'm', since: 1 } }, want: false },
    { why: 'not while its placement is in doubt', status: { placement: { ...SURE, kind: 'unsure' } }, want: false },
  ] satisfies { why: string; its?: Partial<Deployment>; status?: Partial<DeploymentStatus>; want: boolean }[]) {
    it(why, () => {
      const counts = { ...NO_COUNTS, placed: 2, available: 2 };
      const deployment = aDeployment({ status: { conditions: [], placement: SURE, counts, ...status }, ...its });
      assert.equal(isHealthy(deployment), want);
    });
  }
});
