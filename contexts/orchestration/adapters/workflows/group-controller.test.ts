import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Payload } from '#kit/durable';
import { assertPureWorkflow } from '../../../../kit/durable/testing/assert-pure-workflow.ts';

const subject = {
  module: new URL('group-controller.ts', import.meta.url),
  workflow: 'group-controller',
  input: { group: '00000000-0000-7000-8000-0000000000e1', run: 1 },
};
/** Gives one answer after the other, for each of the two dry runs. */
const answering = (...answers: readonly Payload[]) => {
  let asked = 0;
  return { 'control-group': () => answers[asked++ % answers.length] };
};

test('looks until there is nothing left to do, and touches nothing but its activities', async () => {
  const activities = answering(
    { kind: 'again' },
    { kind: 'wait', until: 1 },
    { kind: 'wait', until: null },
    { kind: 'rest' },
  );
  const outcome = await assertPureWorkflow({ ...subject, activities, signals: { news: [null, null] } });
  assert.deepEqual(outcome, { kind: 'returned' });
});

test('begins a fresh history when the old one is long', async () => {
  const outcome = await assertPureWorkflow({
    ...subject,
    activities: answering({ kind: 'again' }),
    continueAsNewDue: true,
  });
  assert.deepEqual(outcome, { kind: 'continued', input: subject.input });
});
