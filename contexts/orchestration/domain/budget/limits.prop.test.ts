import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { admits, budgetFaults, budgetOf, limitsOf } from './budget.ts';

for (const { why, spec, size, want } of [
  { why: 'without a budget all may change at once', spec: {}, size: 10, want: [Infinity, Infinity, 0] },
  {
    why: 'numbers are taken as they are',
    spec: { maxUnavailable: 3, maxConcurrency: 2, maxFailures: 1 },
    size: 10,
    want: [2, 3, 1],
  },
  {
    why: 'percentages of harm are rounded down',
    spec: { maxUnavailable: '10%', maxFailures: '19%' },
    size: 10,
    want: [Infinity, 1, 1],
  },
  { why: 'ten percent of five are none', spec: { maxUnavailable: '10%' }, size: 5, want: [Infinity, 0, 0] },
  {
    why: 'a share that has to be available is rounded up',
    spec: { minAvailable: '81%' },
    size: 10,
    want: [Infinity, 1, 0],
  },
  { why: 'more than there are cannot be available', spec: { minAvailable: 12 }, size: 10, want: [Infinity, 0, 0] },
  {
    why: 'the stricter of the two holds',
    spec: { minAvailable: '50%', maxUnavailable: 8 },
    size: 10,
    want: [Infinity, 5, 0],
  },
  { why: 'concurrency is at least one', spec: { maxConcurrency: '1%' }, size: 5, want: [1, Infinity, 0] },
]) {
  test(why, () => {
    const { concurrency, unavailable, failures } = limitsOf(budgetOf(spec), size);
    assert.deepEqual([concurrency, unavailable, failures], want);
  });
}

test('however targets become available, fall ill and are changed, no change makes more unavailable than may be', () => {
  const event = fc.record({
    what: fc.constantFrom('change', 'changeBroken', 'settle', 'break', 'heal'),
    at: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.nat(6), fc.array(event, { maxLength: 60 }), (allowed, events) => {
      const limits = limitsOf(budgetOf({ maxUnavailable: allowed }), 10);
      const inChange = new Set<number>();
      const broken = new Set<number>();
      for (const { what, at } of events) {
        if (what === 'break') broken.add(at);
        if (what === 'heal') broken.delete(at);
        if (what === 'settle') inChange.delete(at);
        const isBroken = broken.has(at);
        const before = new Set([...inChange, ...broken]).size;
        const usage = { inChange: inChange.size, unavailable: before };
        const isNew = !inChange.has(at) && isBroken === (what === 'changeBroken');
        if (!what.startsWith('change') || !isNew || !admits(limits, usage, { isBroken })) continue;
        inChange.add(at);
        const after = new Set([...inChange, ...broken]).size;
        assert.ok(after === before || after <= allowed);
        assert.ok(inChange.size <= allowed);
      }
    }),
  );
});

for (const { why, spec, paths } of [
  { why: 'nothing has to be said', spec: {}, paths: [] },
  { why: 'a fraction of a target', spec: { maxFailures: 1.5 }, paths: ['/maxFailures'] },
  { why: 'less than none', spec: { maxUnavailable: -1 }, paths: ['/maxUnavailable'] },
  {
    why: 'more than all, or none at once',
    spec: { minAvailable: '120%', maxConcurrency: 0 },
    paths: ['/maxConcurrency', '/minAvailable'],
  },
  {
    why: 'text that is no percentage',
    spec: { minAvailable: '5.5%', maxFailures: '05%' },
    paths: ['/minAvailable', '/maxFailures'],
  },
  {
    why: 'no time at all',
    spec: { progressDeadline: '0s', offlineDeadline: '1 h' },
    paths: ['/progressDeadline', '/offlineDeadline'],
  },
  {
    why: 'policies that nobody knows',
    spec: { onCollision: 'crash', failurePolicy: 'panic' },
    paths: ['/onCollision', '/failurePolicy'],
  },
]) {
  test(`faults: ${why}`, () => {
    assert.deepEqual(
      budgetFaults(spec as never, '').map(({ path }) => path),
      paths,
    );
  });
}
