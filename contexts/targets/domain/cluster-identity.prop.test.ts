import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseUuid } from '#kit/std';
import { aTarget } from '../testing/a-target.ts';
import { type ClusterIdentity, claimIdentity, identityCondition } from './cluster-identity.ts';

const ISSUED = parseUuid('00000000-0000-7000-8000-000000000001');
const target = fc.constantFrom('one', 'two', 'three');
const step = fc.oneof(
  fc.record({ kind: fc.constant('claim' as const), target, identity: fc.constantFrom('u-1', 'u-2', ISSUED) }),
  fc.record({ kind: fc.constant('issue' as const), target }),
  fc.record({ kind: fc.constant('delete' as const), target }),
);

describe('the identity of a cluster', () => {
  it('safety: is held by one target at a time, from its first claim until it is deleted or claims another', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const all = new Map<string, ClusterIdentity>();
        const holderOf = (identity: string): string | undefined =>
          [...all].find(([, { held }]) => held === identity)?.[0];
        for (const each of steps) {
          const before = all.get(each.target) ?? {};
          if (each.kind === 'delete') all.delete(each.target);
          if (each.kind === 'issue' && before.refused !== undefined)
            all.set(each.target, { ...before, issued: ISSUED });
          if (each.kind !== 'claim') continue;
          const holder = holderOf(each.identity);
          const next = claimIdentity(before, each.identity, holder !== undefined && holder !== each.target);
          all.set(each.target, next);
          if (holder === undefined || holder === each.target) assert.deepEqual(next, { held: each.identity });
          else
            assert.deepEqual([holderOf(each.identity), next.held, next.refused], [holder, before.held, each.identity]);
          const held = [...all.values()].flatMap((its) => its.held ?? []);
          assert.equal(new Set(held).size, held.length);
        }
      }),
    );
  });

  it('goes on as before when the same agent claims it again, also after the cluster was restored in place', () => {
    assert.deepEqual(claimIdentity({ held: 'u-1' }, 'u-1', false), { held: 'u-1' });
  });

  it('is another one once an id was issued, which holds for the refused claim only', () => {
    const refused = claimIdentity({}, 'u-1', true);
    assert.deepEqual(refused, { held: undefined, refused: 'u-1', issued: undefined });
    const issued = { ...refused, issued: ISSUED };
    assert.equal(claimIdentity(issued, 'u-1', true).issued, ISSUED);
    assert.equal(claimIdentity(issued, 'u-2', true).issued, undefined);
    assert.deepEqual(claimIdentity(issued, ISSUED, false), { held: ISSUED });
  });

  it('is a condition of the refused target, and of no target that never was', () => {
    const one = aTarget();
    assert.equal(identityCondition(one, { held: 'u-1' }), undefined);
    const refused = identityCondition(one, { refused: 'u-1' });
    assert.deepEqual([refused?.status, refused?.reason], ['False', 'SameCluster']);
    assert.match(refused?.message ?? '', /target reidentify/);
    assert.equal(identityCondition(one, { refused: 'u-1', issued: ISSUED })?.reason, 'Reidentifying');
    const known = { ...one, conditions: [{ ...(refused ?? assert.fail()), lastTransitionTime: 1 }] };
    assert.equal(identityCondition(known, { held: 'u-1' })?.status, 'True');
  });
});
