import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { activityIdOf, readActivityId, readStepSummary, stepSummary } from './wire.ts';

const mark = fc.record(
  { step: fc.integer({ min: 1, max: 1_000_000 }), shielded: fc.boolean() },
  { noNullPrototype: true },
);

it('reads every note on a step that it writes', () => {
  fc.assert(fc.property(mark, (each) => assert.deepEqual(readStepSummary(stepSummary(each)), each)));
});

it('reads every id of an activity that it writes', () => {
  fc.assert(
    fc.property(mark, fc.json(), (each, text) => assert.deepEqual(readActivityId(activityIdOf(each, text)), each)),
  );
});

it('gives the same input the same id, and another input another', () => {
  const id = (text: string) => activityIdOf({ step: 1, shielded: false }, text);
  assert.equal(id('{"key":"a"}'), id('{"key":"a"}'));
  assert.notEqual(id('{"key":"a"}'), id('{"key":"b"}'));
});

it('takes what others wrote for a step that it does not know', () => {
  for (const foreign of ['', 'a timer of another worker', 'step x']) {
    assert.deepEqual(readStepSummary(foreign), { step: 0, shielded: false });
    assert.deepEqual(readActivityId(foreign), { step: 0, shielded: false });
  }
});
