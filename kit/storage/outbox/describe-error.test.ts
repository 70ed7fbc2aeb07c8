import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeError } from './describe-error.ts';
import { OutboxError } from './outbox-error.ts';

describe('describeError', () => {
  for (const { why, error, want } of [
    {
      why: 'the code of one of ours',
      error: new OutboxError('INVALID_EVENT', 'no key'),
      want: 'INVALID_EVENT: no key',
    },
    { why: 'the name of any other', error: new TypeError('not a function'), want: 'TypeError: not a function' },
    { why: 'what was thrown that is no error', error: 'refused', want: 'Error: refused' },
    { why: 'no more than a reader can use', error: new Error('x'.repeat(900)), want: `Error: ${'x'.repeat(493)}…` },
  ]) {
    it(`keeps ${why}`, () => assert.equal(describeError(error), want));
  }
});
