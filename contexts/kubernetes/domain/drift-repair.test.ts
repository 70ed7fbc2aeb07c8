import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Drift } from './drift.ts';
import { driftStep, type Repair, USUAL_REPAIRS } from './drift-repair.ts';

const KEY = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' };
const REPAIR = { driftPolicy: 'repair', ...USUAL_REPAIRS } as const;

function changedBy(manager: string | undefined, ...paths: string[]): Drift {
  return { kind: 'changed', fields: paths.map((path) => ({ path, manager })) };
}

describe('what is done about drift', () => {
  it('is to tell of it, where that is desired', () => {
    const policy = { ...REPAIR, driftPolicy: 'report' } as const;
    const step = driftStep({
      key: KEY,
      drift: changedBy('kubectl', '.data.a', '.data.b'),
      policy,
      repairs: [],
      now: 0,
    });
    assert.deepEqual(step, {
      kind: 'report',
      message: 'v1/ConfigMap/shop/a: kubectl changed .data.a, .data.b.',
      repairs: [],
    });
  });

  it('is nothing where there is none', () => {
    const step = driftStep({
      key: KEY,
      drift: { kind: 'none' },
      policy: REPAIR,
      repairs: [{ what: 'x', time: -USUAL_REPAIRS.windowMs }],
      now: 0,
    });
    assert.deepEqual(step, { kind: 'none', message: '', repairs: [] });
  });

  it('is to repair it, but not for ever against the same manager on the same field', () => {
    let repairs: readonly Repair[] = [];
    const kinds: string[] = [];
    const step = (now: number, drift: Drift) => {
      const next = driftStep({ key: KEY, drift, policy: REPAIR, repairs, now });
      repairs = next.repairs;
      kinds.push(next.kind);
      return next.message;
    };
    for (const now of [1, 2, 3]) step(now, changedBy('hpa', '.spec.replicas'));
    assert.match(
      step(4, changedBy('hpa', '.spec.replicas')),
      /hpa changed it again after each repair\. .*ignoreFields/,
    );
    step(5, changedBy('hpa', '.spec.paused'));
    step(6, changedBy('kubectl', '.spec.replicas'));
    step(USUAL_REPAIRS.windowMs + 1, changedBy('hpa', '.spec.replicas'));
    assert.deepEqual(kinds, ['repair', 'repair', 'repair', 'report', 'repair', 'repair', 'repair']);
  });

  it('safety: is never more repairs within the window than allowed, and remembers no more than it has to', () => {
    const events = fc.array(
      fc.record({
        wait: fc.integer({ min: 0, max: 40 }),
        drift: fc.constantFrom<Drift>(
          { kind: 'deleted' },
          { kind: 'replaced' },
          changedBy('a', '.x'),
          changedBy('b', '.x', '.y'),
          changedBy(undefined, '.x'),
        ),
      }),
      { maxLength: 60 },
    );
    const policy = { driftPolicy: 'repair', maxRepairs: 3, windowMs: 100 } as const;
    fc.assert(
      fc.property(events, (all) => {
        let repairs: readonly Repair[] = [];
        let now = 0;
        const done: { readonly what: string; readonly time: number }[] = [];
        for (const { wait, drift } of all) {
          now += wait;
          const step = driftStep({ key: KEY, drift, policy, repairs, now });
          if (step.kind === 'repair') done.push({ what: JSON.stringify(drift), time: now });
          repairs = step.repairs;
          assert.ok(repairs.length <= 6 * policy.maxRepairs);
          for (const same of Map.groupBy(done, ({ what }) => what).values()) {
            assert.ok(same.filter(({ time }) => now - time < policy.windowMs).length <= policy.maxRepairs);
          }
        }
      }),
    );
  });

  it('says what happened to the object', () => {
    const says = (drift: Drift) => driftStep({ key: KEY, drift, policy: REPAIR, repairs: [], now: 0 }).message;
    assert.match(says({ kind: 'deleted' }), /a was deleted\.$/);
    assert.match(says({ kind: 'replaced' }), /recreated by another client\.$/);
    assert.match(says(changedBy(undefined, '.x')), /: an unknown client changed \.x\.$/);
  });
});
