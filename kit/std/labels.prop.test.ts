import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { labelFaults } from './labels.ts';

// The Kubernetes rules, as one regular expression each.
const NAME = /^(?=.{1,63}$)([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const nearly = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', '/', ' ', '\n', 'é'), maxLength: 8 });
const long = fc.tuple(nearly, fc.integer({ min: 58, max: 66 })).map(([tail, length]) => 'a'.repeat(length) + tail);
const text = fc.oneof({ weight: 4, arbitrary: nearly }, long);

function isKey(key: string): boolean {
  const parts = key.split('/');
  const [first = '', second] = parts;
  if (second === undefined) return NAME.test(first);
  return parts.length === 2 && DOMAIN.test(first) && NAME.test(second);
}

test('a label is accepted exactly when Kubernetes would take it', () => {
  fc.assert(
    fc.property(text, text, (key, value) => {
      const wanted = isKey(key) && (value === '' || NAME.test(value));
      assert.equal(labelFaults({ [key]: value }).length === 0, wanted);
    }),
    { numRuns: 2_000 },
  );
});

test('a fault points at its label', () => {
  fc.assert(
    fc.property(fc.dictionary(text, text, { maxKeys: 5 }), (labels) => {
      for (const { path } of labelFaults(labels)) {
        const key = path.slice('/labels/'.length).replaceAll('~1', '/').replaceAll('~0', '~');
        assert.ok(Object.hasOwn(labels, key), path);
      }
    }),
  );
});
