import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { identityOf, type ObjectKey } from '../domain/kube-object.ts';
import { Claims } from './claims.ts';

const key = fc.constantFrom('a', 'b', 'c').map((name): ObjectKey => ({ apiVersion: 'v1', kind: 'ConfigMap', name }));
const deployment = fc.constantFrom('one', 'two', 'three');
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('claim' as const), deployment, key }),
    fc.record({
      kind: fc.constant('settle' as const),
      deployment,
      keys: fc.uniqueArray(key, { selector: identityOf }),
    }),
  ),
  { maxLength: 30 },
);

describe('claims', () => {
  it('safety: an object is of one deployment at a time, until that one lets it go', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const claims = new Claims();
        const owners = new Map<string, string>();
        for (const step of all) {
          if (step.kind === 'claim') {
            const owner = owners.get(identityOf(step.key));
            const other = owner === step.deployment ? undefined : owner;
            assert.equal(claims.claim(step.deployment, step.key), other);
            if (other === undefined) owners.set(identityOf(step.key), step.deployment);
            assert.equal(claims.ownerOf(step.key), owner ?? step.deployment);
          } else {
            for (const [identity, owner] of owners) if (owner === step.deployment) owners.delete(identity);
            for (const its of step.keys) if (!owners.has(identityOf(its))) owners.set(identityOf(its), step.deployment);
            const entries = step.keys.map((its) => ({ key: its, origin: 'created' as const, sent: '' }));
            claims.settle(step.deployment, { deployment: step.deployment, seen: { revision: 1 }, entries });
          }
        }
      }),
    );
  });
});
