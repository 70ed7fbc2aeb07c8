import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Failure } from './failure.ts';
import { type Findings, nextStatus, type Verdict } from './next-status.ts';
import type { SetStatus } from './set-status.ts';

const EMPTY: SetStatus = { conditions: [], legacyConditions: [] };
const T1 = '2030-01-01T00:00:01Z';
const T2 = '2030-01-01T00:00:02Z';

const failures: fc.Arbitrary<readonly Failure[]> = fc.subarray([
  { kind: 'resource-missing', resource: { kind: 'ConfigMap', name: 'x' } },
  { kind: 'cluster-unreachable', cluster: 'a', why: 'down' },
] satisfies Failure[]);
const verdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constant({ kind: 'none' } as const),
  fc.constant({ kind: 'no-clusters' } as const),
  failures.map((all) => ({ kind: 'looked', failures: all }) as const),
);
const findings: fc.Arbitrary<Findings> = fc.record({
  generation: fc.integer({ min: 1, max: 3 }),
  isPaused: fc.boolean(),
  verdict,
});

describe('the status of a set', () => {
  it('is not written twice for the same', () => {
    fc.assert(
      fc.property(fc.array(findings, { minLength: 1 }), (all) => {
        const status = all.reduce((before, each) => nextStatus(before, each, T1), EMPTY);
        const last = all.at(-1);
        const once = last ? nextStatus(status, last, T2) : status;
        assert.equal(last && nextStatus(once, last, T2), once);
      }),
    );
  });

  it('changes the time of a condition when its status changes, and at no other time', () => {
    fc.assert(
      fc.property(findings, findings, (first, second) => {
        const before = nextStatus(EMPTY, first, T1);
        const after = nextStatus(before, second, T2);
        for (const list of ['conditions', 'legacyConditions'] as const) {
          for (const { type, status, lastTransitionTime } of after[list]) {
            const old = before[list].find((condition) => condition.type === type);
            assert.equal(lastTransitionTime, old?.status === status ? old.lastTransitionTime : T2);
          }
        }
      }),
    );
  });

  it('says the same in both generations', () => {
    fc.assert(
      fc.property(fc.array(findings), (all) => {
        const status = all.reduce((before, each) => nextStatus(before, each, T1), EMPTY);
        const now = status.conditions.find(({ type }) => type === 'ResourcesApplied');
        const legacy = status.legacyConditions.find(({ type }) => type === 'ResourcesApplied');
        assert.equal(now?.status, legacy?.status);
      }),
    );
  });

  it('leaves what others say, with Paused behind it', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const theirs = {
          type: 'Zebra',
          status: 'True',
          reason: 'Theirs',
          message: '',
          lastTransitionTime: T1,
        } as const;
        const { conditions } = nextStatus({ ...EMPTY, conditions: [theirs] }, found, T2);
        assert.ok(conditions.includes(theirs));
        assert.equal(conditions.at(-1)?.type, 'Paused');
      }),
    );
  });
});

describe('the generation that was observed', () => {
  const looked = (...all: readonly Failure[]): Verdict => ({ kind: 'looked', failures: all });
  const missing: Failure = { kind: 'resource-missing', resource: { kind: 'Secret', name: 's' } };
  const down: Failure = { kind: 'cluster-unreachable', cluster: 'a', why: 'down' };
  const cases: readonly { why: string; verdict: Verdict; want: number | undefined }[] = [
    { why: 'all is applied', verdict: looked(), want: 2 },
    { why: 'what is missing is waited for, not tried again', verdict: looked(missing), want: 2 },
    { why: 'something has to be tried again', verdict: looked(missing, down), want: undefined },
    { why: 'nothing is known yet', verdict: { kind: 'none' }, want: undefined },
    { why: 'a new set that is for no cluster', verdict: { kind: 'no-clusters' }, want: undefined },
  ];
  for (const { why, verdict: said, want } of cases) {
    it(why, () => {
      const status = nextStatus(EMPTY, { generation: 2, isPaused: false, verdict: said }, T1);
      assert.equal(status.observedGeneration, want);
    });
  }

  it('is noted for no cluster along with a new generation', () => {
    const before = nextStatus(EMPTY, { generation: 1, isPaused: false, verdict: { kind: 'no-clusters' } }, T1);
    const after = nextStatus(before, { generation: 2, isPaused: false, verdict: { kind: 'no-clusters' } }, T1);
    assert.equal(after.observedGeneration, 2);
  });

  it('comes with no failure of clusters that the set is no longer for', () => {
    const before = nextStatus(EMPTY, { generation: 1, isPaused: false, verdict: looked(down) }, T1);
    const after = nextStatus(before, { generation: 1, isPaused: false, verdict: { kind: 'no-clusters' } }, T1);
    assert.deepEqual(
      after.conditions.map(({ type }) => type),
      ['Paused'],
    );
    assert.deepEqual(after.legacyConditions, []);
  });
});
