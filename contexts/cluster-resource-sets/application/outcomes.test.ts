import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aSet } from '../testing/a-set.ts';
import { Outcomes } from './outcomes.ts';

const DOWN = { kind: 'cluster-unreachable', cluster: 'a', why: 'down' } as const;

describe('how sets are doing in clusters', () => {
  it('is news once', () => {
    const outcomes = new Outcomes();
    assert.equal(outcomes.record(aSet(), 'a', []), true);
    assert.equal(outcomes.record(aSet(), 'a', []), false);
    assert.equal(outcomes.record(aSet(), 'a', [DOWN]), true);
    assert.equal(outcomes.record(aSet({ generation: 2 }), 'a', [DOWN]), true);
  });

  it('is not known of a set that is another, of a cluster that is gone, and of those that are not asked for', () => {
    const outcomes = new Outcomes();
    outcomes.record(aSet(), 'a', [DOWN]);
    outcomes.record(aSet(), 'b', []);
    assert.deepEqual(outcomes.tally(aSet(), ['a', 'b', 'c']), { pending: ['c'], failures: [DOWN] });
    assert.deepEqual(outcomes.tally(aSet(), ['b']), { pending: [], failures: [] });
    assert.deepEqual(outcomes.tally(aSet({ uid: 'new' }), ['a']), { pending: ['a'], failures: [] });
    outcomes.forgetCluster({ namespace: 'fleet', name: 'a' });
    assert.deepEqual(outcomes.tally(aSet(), ['a', 'b']), { pending: ['a'], failures: [] });
    outcomes.forgetSet(aSet());
    assert.deepEqual(outcomes.tally(aSet(), ['b']), { pending: ['b'], failures: [] });
  });

  it('counts whoever is at work for a set', () => {
    const outcomes = new Outcomes();
    const [first, second] = [outcomes.begin([aSet()]), outcomes.begin([aSet(), aSet({ name: 'two' })])];
    first();
    assert.ok(outcomes.isUnderWay(aSet()));
    second();
    assert.ok(!outcomes.isUnderWay(aSet()) && !outcomes.isUnderWay(aSet({ name: 'two' })));
  });
});
