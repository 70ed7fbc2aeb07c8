import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { afterFailure } from './after-failure.ts';

const rules = fc.record({
  attempts: fc.integer({ min: 1, max: 20 }),
  backoff: fc.constant({ baseMs: 100, capMs: 5_000 }),
});
const moment = fc.record({ now: fc.nat(), random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }) });

describe('afterFailure', () => {
  it('retries exactly as often as the rules say, never before now and never later than the longest wait', () => {
    fc.assert(
      fc.property(rules, fc.integer({ min: 1, max: 25 }), moment, (given, attempts, { now, random }) => {
        const outcome = afterFailure(given, { attempts, error: 'refused' }, { now, random: () => random });
        assert.equal(outcome.kind, attempts < given.attempts ? 'retry' : 'dead');
        if (outcome.kind === 'retry') assert.ok(outcome.at >= now && outcome.at <= now + given.backoff.capMs);
        assert.deepEqual([outcome.attempts, outcome.error], [attempts, 'refused']);
      }),
    );
  });
});
