import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HEALTH_STATES, type HealthState } from './object-health.ts';
import { type JudgedObject, rollUp } from './roll-up.ts';

function judged(name: string, state: HealthState, message = 'why'): JudgedObject {
  return {
    key: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name },
    health: { state, reason: `${state}!`, message },
  };
}

const objects = fc
  .uniqueArray(
    fc.tuple(
      fc.integer({ min: 0, max: 30 }),
      fc.constantFrom(...HEALTH_STATES),
      fc.constantFrom('why', 'two\nlines', 'x'.repeat(2_000)),
    ),
    { selector: ([number]) => number },
  )
  .map((all) => all.map(([number, state, message]) => judged(`p${number}`, state, message)));

describe('the health of a deployment', () => {
  it('is that of its worst objects, in the same words whatever order they come in, and bounded', () => {
    fc.assert(
      fc.property(objects, (all) => {
        const health = rollUp(all);
        assert.deepEqual(rollUp(all.toReversed()), health);
        assert.ok(health.message.length <= 2_048 && !health.message.includes('\n'));
        const worst = HEALTH_STATES.findLast((state) => all.some((each) => each.health.state === state));
        const isSilent = all.every((each) => each.health.state === 'Applied');
        if (worst === 'Degraded' || worst === 'Unknown' || worst === 'Progressing') assert.equal(health.state, worst);
        else assert.equal(health.state, isSilent && all.length > 0 ? 'Applied' : 'Available');
      }),
    );
  });

  it('names the worst ones, a few of them', () => {
    const all = [
      judged('ok', 'Available'),
      judged('z', 'Degraded'),
      judged('slow', 'Progressing'),
      ...['d', 'a', 'c', 'b'].map((name) => judged(name, 'Degraded')),
    ];
    assert.deepEqual(rollUp(all), {
      state: 'Degraded',
      reason: 'Degraded!',
      message: 'v1/Pod/shop/a: why; v1/Pod/shop/b: why; v1/Pod/shop/c: why; and 2 more',
    });
  });

  it('has the whole message of an object that is alone, however long a controller makes it', () => {
    const message = 'x'.repeat(1_800);
    assert.equal(rollUp([judged('a', 'Degraded', message)]).message, `v1/Pod/shop/a: ${message}`);
  });

  it('of nothing is good', () => {
    assert.deepEqual(rollUp([]), { state: 'Available', reason: '', message: '' });
  });
});
