import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ResourceEntry } from './binding.ts';
import { needsApply } from './needs-apply.ts';
import { STRATEGIES } from './resource-set.ts';

const entry = fc.option(
  fc.record(
    { kind: fc.constant('ConfigMap'), name: fc.constant('cm'), applied: fc.boolean(), hash: fc.constantFrom('x', 'y') },
    { requiredKeys: ['kind', 'name', 'applied'] },
  ),
  { nil: undefined },
);
const strategy = fc.constantFrom(...STRATEGIES);
const hash = fc.constantFrom('x', 'y');

describe('whether a resource has to be applied', () => {
  it('always, while it never was', () => {
    fc.assert(
      fc.property(strategy, entry, hash, (which, before, now) => {
        if (before?.applied !== true) assert.equal(needsApply(which, before, now), true);
      }),
    );
  });

  it('never, once this very content was', () => {
    fc.assert(
      fc.property(strategy, hash, (which, now) => {
        const after: ResourceEntry = { kind: 'ConfigMap', name: 'cm', applied: true, hash: now };
        assert.equal(needsApply(which, after, now), false);
      }),
    );
  });

  it('with ApplyOnce never again, with Reconcile whenever the content is another', () => {
    fc.assert(
      fc.property(entry, hash, (before, now) => {
        if (before?.applied !== true) return;
        assert.equal(needsApply('ApplyOnce', before, now), false);
        assert.equal(needsApply('Reconcile', before, now), before.hash !== now);
      }),
    );
  });
});
