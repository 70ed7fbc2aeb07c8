import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment } from '../domain/deployment/deployment.ts';
import type { UnitOfWork } from './ports.ts';
import { tellRolloutState } from './tell-rollout-state.ts';

const signal = new AbortController().signal;

async function posted(its: Partial<Deployment>): Promise<unknown[]> {
  const events: unknown[] = [];
  const unit = {
    rollouts: { post: async (_rollout: unknown, told: readonly unknown[]) => void events.push(...told) },
    deployments: { wake: async () => {} },
  } as unknown as UnitOfWork;
  await tellRolloutState(unit, its as Deployment, 'ann', signal);
  return events;
}

for (const { why, its, want } of [
  {
    why: 'a pause names its author once: the rollout makes the sentence',
    its: { rollout: 3, rolloutState: 'paused' },
    want: [{ kind: 'pause', by: 'ann', message: '' }],
  },
  { why: 'a resume', its: { rollout: 3, rolloutState: 'running' }, want: [{ kind: 'resume' }] },
  { why: 'nothing without a rollout under way', its: { rolloutState: 'paused' }, want: [] },
] as const) {
  test(`a rollout is told of ${why}`, async () => assert.deepEqual(await posted(its), want));
}
