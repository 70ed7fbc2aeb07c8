import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aDeployment } from '../testing/a-deployment.ts';
import { deploymentState } from './deployment-state.ts';

for (const { why, counts, want } of [
  { why: 'all is as it should be', counts: {}, want: 'Succeeded' },
  { why: 'an image was changed by hand', counts: { drifted: 1 }, want: 'Succeeded (1 drifted)' },
  { why: 'clusters are gone', counts: { offline: 2 }, want: 'Succeeded (2 offline)' },
  {
    why: 'much happened',
    counts: { offline: 1, drifted: 2, failed: 3 },
    want: 'Succeeded (3 failed, 2 drifted, 1 offline)',
  },
]) {
  test(`the state of a deployment says what became of its targets: ${why}`, () => {
    const rollout = { phase: 'Finished' as const, outcome: 'Succeeded' as const, waits: [] };
    const deployment = aDeployment({ counts, rollout, its: { reconciling: false } });
    assert.equal(deploymentState(deployment), want);
  });
}
