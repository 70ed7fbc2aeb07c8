import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Payload } from '#kit/durable';
import { assertPureWorkflow } from '../../../../kit/durable/testing/assert-pure-workflow.ts';

const subject = {
  module: new URL('deployment-pipeline.ts', import.meta.url),
  workflow: 'deployment-pipeline',
  input: { deployment: '00000000-0000-7000-8000-0000000000d1', run: 1 },
};
const TURN = { isFinished: false, batch: null, wakeAt: null, hasMore: false };

/** Gives one answer after the other, for each of the two dry runs. */
const inTurn = (...answers: readonly Payload[]): (() => Payload | undefined) => {
  let asked = 0;
  return () => answers[asked++ % answers.length];
};

test('plans, turns and delivers until nothing is left, and touches nothing but its activities', async () => {
  const delivered: Payload[] = [];
  const outcome = await assertPureWorkflow({
    ...subject,
    activities: {
      'plan-rollout': inTurn(
        { kind: 'wait', until: null },
        { kind: 'wait', until: 1 },
        { kind: 'rollout', revision: 7 },
        { kind: 'rest' },
      ),
      'take-turn': inTurn(
        { ...TURN, batch: 1, hasMore: true },
        { ...TURN, batch: 2 },
        { ...TURN, wakeAt: 1 },
        { ...TURN, isFinished: true },
      ),
      'deliver-batch': (batch) => {
        delivered.push(batch);
        return undefined;
      },
    },
    signals: { news: [null, null, null] },
  });
  assert.deepEqual(outcome, { kind: 'returned' });
  const rollout = { deployment: subject.input.deployment, revision: 7 };
  const batches = [
    { ...rollout, batch: 1 },
    { ...rollout, batch: 2 },
  ];
  assert.deepEqual(JSON.parse(JSON.stringify(delivered)), [...batches, ...batches], 'the same in both runs');
});

test('begins a fresh history when the old one is long, also in the middle of a rollout', async () => {
  const outcome = await assertPureWorkflow({
    ...subject,
    activities: { 'plan-rollout': inTurn({ kind: 'rollout', revision: 7 }), 'take-turn': inTurn(TURN) },
    continueAsNewDue: true,
  });
  assert.deepEqual(outcome, { kind: 'continued', input: subject.input });
});
