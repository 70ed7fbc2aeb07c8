import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findFiles, ROOT } from '../../../scripts/repository.ts';
import type { Deployment } from '../domain/deployment/deployment.ts';
import type { UnitOfWork } from './ports.ts';
import { postRolloutState } from './wake-pipeline.ts';

const signal = new AbortController().signal;

async function posted(its: Partial<Deployment>): Promise<unknown[]> {
  const events: unknown[] = [];
  const unit = {
    rollouts: { post: async (_rollout: unknown, told: readonly unknown[]) => void events.push(...told) },
    deployments: { wake: async () => {} },
  } as unknown as UnitOfWork;
  await postRolloutState(unit, its as Deployment, 'ann', signal);
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

/** Calls that have effects only together, and the one file that makes them. */
const TOGETHER = [
  { call: /\btriggers\.add\(|\bstore\.add\(/, only: 'wake-pipeline.ts' },
  { call: /\bdeployments\.(?:insert|replace|remove)\(/, only: 'pipeline/save-deployment.ts' },
] as const;

for (const { call, only } of TOGETHER) {
  test(`${only} alone calls ${call.source}: no use case forgets who waits for the change`, async () => {
    const files = (await findFiles('contexts/orchestration/application/**/*.ts')).filter(
      (file) => !file.endsWith('.test.ts'),
    );
    const calling = files.filter((file) => call.test(readFileSync(join(ROOT, file), 'utf8')));
    assert.deepEqual(calling, [`contexts/orchestration/application/${only}`]);
  });
}
