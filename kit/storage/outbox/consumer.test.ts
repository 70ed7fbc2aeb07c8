import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Consumer, consumerSettings } from './consumer.ts';

const consumer: Consumer = { name: 'mailer', startAt: 'now', handle: async () => {} };

describe('consumerSettings', () => {
  it('fills in what is not said', () => {
    const { handle, ...rest } = consumerSettings({ ...consumer, attempts: 3 });
    assert.equal(typeof handle, 'function');
    assert.deepEqual(rest, {
      name: 'mailer',
      startAt: 'now',
      types: undefined,
      concurrency: 8,
      attempts: 3,
      backoff: { baseMs: 1_000, capMs: 300_000 },
      timeoutMs: 30_000,
    });
  });

  for (const { why, bad } of [
    { why: 'no name', bad: { name: '' } },
    { why: 'no slot', bad: { concurrency: 0 } },
    { why: 'half an attempt', bad: { attempts: 0.5 } },
    { why: 'no end to its time', bad: { timeoutMs: Number.POSITIVE_INFINITY } },
    { why: 'a list of no types, which is not the same as all', bad: { types: [] } },
  ]) {
    it(`refuses one with ${why}`, () => assert.throws(() => consumerSettings({ ...consumer, ...bad }), RangeError));
  }
});
