import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FlowCheck } from './check-flow.ts';

/** The received numbers; a `!` follows those marked as redelivered. */
function faultsOf(came: string): string[] {
  const check = new FlowCheck('f');
  return came.split(' ').flatMap((word) => {
    const redelivered = word.endsWith('!');
    return check.take({ kind: 'taken', flow: 'f', number: Number.parseInt(word, 10), redelivered }) ?? [];
  });
}

describe('what came of a flow', () => {
  for (const { why, came, wrong } of [
    { why: 'all in order', came: '1 2 3', wrong: 0 },
    { why: 'again, and marked', came: '1 2 2! 1! 3', wrong: 0 },
    { why: 'for the first time, and marked for it may have been there', came: '1 2! 3', wrong: 0 },
    { why: 'again, without its mark', came: '1 2 2 3', wrong: 1 },
    { why: 'overtaken by a later one', came: '1 3 2', wrong: 1 },
  ]) {
    it(`${why}: ${wrong} wrong`, () => assert.equal(faultsOf(came).length, wrong));
  }

  it('misses what has not come', () => {
    const check = new FlowCheck('f');
    check.take({ kind: 'taken', flow: 'f', number: 2, redelivered: false });
    assert.deepEqual(check.missing(3), [1, 3]);
    assert.equal(check.count, 1);
  });
});
