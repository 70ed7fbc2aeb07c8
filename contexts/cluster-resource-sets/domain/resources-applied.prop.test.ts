import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Failure } from './failure.ts';
import { resourcesApplied } from './resources-applied.ts';

const cluster = fc.constantFrom('a', 'b', 'c');
const resource = fc.record({ kind: fc.constantFrom('ConfigMap', 'Secret'), name: fc.constantFrom('x', 'y') });
const why = fc.constantFrom('no', 'never');
const kinds: { readonly [K in Failure['kind']]: fc.Arbitrary<Extract<Failure, { kind: K }>> } = {
  'selector-unreadable': fc.record({ kind: fc.constant('selector-unreadable' as const), why }),
  'strategy-unknown': fc.record({ kind: fc.constant('strategy-unknown' as const), strategy: fc.constant('') }),
  'wrong-secret-type': fc.record({ kind: fc.constant('wrong-secret-type' as const), resource }),
  'resource-missing': fc.record({ kind: fc.constant('resource-missing' as const), resource }),
  'resource-unavailable': fc.record({ kind: fc.constant('resource-unavailable' as const), resource, why }),
  'resource-unreadable': fc.record({ kind: fc.constant('resource-unreadable' as const), resource, why }),
  'cluster-unreachable': fc.record({ kind: fc.constant('cluster-unreachable' as const), cluster, why }),
  'broken-off': fc.record({ kind: fc.constant('broken-off' as const), cluster, why }),
  'not-applied': fc.record({ kind: fc.constant('not-applied' as const), cluster, resource, why }),
  'not-pruned': fc.record({ kind: fc.constant('not-pruned' as const), cluster, why }),
};
const failures = fc.array(fc.oneof(...Object.values<fc.Arbitrary<Failure>>(kinds)), { maxLength: 8 });

describe('what is said of a set over all its clusters', () => {
  it('is that it is applied when nothing failed, and only then', () => {
    fc.assert(
      fc.property(failures, (all) => {
        assert.equal(resourcesApplied(all).kind === 'applied', all.length === 0);
      }),
    );
  });

  it('does not depend on whom one looked at first, or how often', () => {
    fc.assert(
      fc.property(failures, fc.infiniteStream(fc.nat()), (all, order) => {
        const shuffled = all.map((each) => ({ each, at: order.next().value ?? 0 })).sort((a, b) => a.at - b.at);
        assert.deepEqual(resourcesApplied([...shuffled.map(({ each }) => each), ...all]), resourcesApplied(all));
      }),
    );
  });

  it('names every cluster and every resource that failed', () => {
    fc.assert(
      fc.property(failures, (all) => {
        const verdict = resourcesApplied(all);
        for (const failure of all) {
          const message = verdict.kind === 'not' ? verdict.message : '';
          if ('cluster' in failure) assert.match(message, new RegExp(`Cluster ${failure.cluster}\\b`));
          if ('resource' in failure) assert.match(message, new RegExp(`\\b${failure.resource.name}\\b`));
        }
      }),
    );
  });

  it('takes the reason of the wrong type before internal errors before what was not applied', () => {
    fc.assert(
      fc.property(failures, (all) => {
        const verdict = resourcesApplied(all);
        if (verdict.kind === 'applied') return;
        const has = (...which: readonly Failure['kind'][]): boolean => all.some(({ kind }) => which.includes(kind));
        if (has('wrong-secret-type')) assert.equal(verdict.reason, 'WrongSecretType');
        else if (
          has('selector-unreadable', 'resource-missing', 'resource-unavailable', 'cluster-unreachable', 'broken-off')
        )
          assert.equal(verdict.reason, 'InternalError');
        else assert.equal(verdict.reason, 'NotApplied');
      }),
    );
  });

  it('stays short, however large the fleet', () => {
    const all = Array.from({ length: 5_000 }, (_, index) => ({
      kind: 'cluster-unreachable' as const,
      cluster: `c-${index}`,
      why: 'x'.repeat(5_000),
    }));
    const verdict = resourcesApplied(all);
    assert.ok(verdict.kind === 'not' && verdict.message.length < 15_000);
    assert.match(verdict.message, /and 4990 more$/);
  });
});
