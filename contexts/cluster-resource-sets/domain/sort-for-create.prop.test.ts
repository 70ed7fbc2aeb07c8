import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sortForCreate } from './sort-for-create.ts';

const KINDS = [
  'Namespace',
  'CustomResourceDefinition',
  'Secret',
  'ConfigMap',
  'Pod',
  'Deployment',
  'Endpoints',
  'Service',
];

describe('the order in which objects are created', () => {
  it('has everything once, in order of kinds, and otherwise as it stood', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...KINDS)), (kinds) => {
        const objects = kinds.map((kind, index) => ({ kind, index }));
        const sorted = sortForCreate(objects);
        assert.equal(sorted.length, objects.length);
        // Kinds behind the fifth have no order of their own.
        const rank = (kind: string): number => Math.min(KINDS.indexOf(kind), 5);
        for (const [place, { kind, index }] of sorted.entries()) {
          const next = sorted[place + 1];
          if (next) assert.ok(rank(kind) < rank(next.kind) || (rank(kind) === rank(next.kind) && index < next.index));
        }
      }),
    );
  });
});
