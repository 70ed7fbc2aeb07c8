import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maySelect } from './may-select.ts';
import { createPlacementRegistry } from './placement-registry.ts';
import type { PlacementSpec, PlacementStrategy } from './placement-strategy.ts';
import { viewOf } from './testing/view-of.ts';

const lost: PlacementStrategy = {
  type: 'lost',
  chooses: 'each',
  faults: () => [],
  choose: () => {
    throw new Error('it does not know');
  },
};
const REGISTRY = createPlacementRegistry([lost]);
const prod = { type: 'selector', matchLabels: { env: 'prod' } };
const scored = { type: 'scored', top: 1, weights: [{ type: 'load', weight: 1 }] };

for (const { why, specs, labels = { env: 'prod' }, type = 'kubernetes', want } of [
  { why: 'a selector that matches', specs: [prod], want: 'yes' },
  { why: 'a selector that does not', specs: [prod], labels: {}, want: 'no' },
  { why: 'all', specs: [{ type: 'all' }], want: 'yes' },
  { why: 'a list that names it', specs: [{ type: 'static', targets: ['a'] }], want: 'yes' },
  { why: 'a list that names others', specs: [{ type: 'static', targets: ['b'] }], want: 'no' },
  { why: 'a competition, which is not decided by one alone', specs: [scored], want: 'maybe' },
  { why: 'a competition among those that match', specs: [prod, scored], want: 'maybe' },
  { why: 'a competition that it is not let into', specs: [prod, scored], labels: {}, want: 'no' },
  { why: 'the platform itself, which is no target of a pool', specs: [{ type: 'local' }], want: 'no' },
  { why: 'whoever registered the platform itself', specs: [{ type: 'all' }], type: 'local', want: 'no' },
  { why: 'a type that nobody knows any more', specs: [{ type: 'gone' }], want: 'maybe' },
  { why: 'a strategy that throws', specs: [{ type: 'lost' }], want: 'maybe' },
] satisfies { why: string; specs: PlacementSpec[]; labels?: Record<string, string>; type?: string; want: string }[]) {
  test(`of one target, ${why}: ${want}`, () => {
    const target = viewOf('a', { type, labels });
    assert.equal(maySelect(specs, target, REGISTRY), want);
  });
}
