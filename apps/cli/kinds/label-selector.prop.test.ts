import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FilterLanguage } from '#kit/http';
import { matchesSelector } from '#kit/std';
import { UsageError } from '../command.ts';
import { LabelSelector } from './label-selector.ts';

const language = new FilterLanguage({ labels: 'map<string, string>', reportedLabels: 'map<string, string>' });
const key = fc.constantFrom('a', 'b.c/d', 'agent.fleetshift.io/zone');
const value = fc.constantFrom('', 'x', 'y-1');
const requirement = fc.oneof(
  fc.tuple(key, fc.constantFrom('=', '==', '!=', ' = '), value).map((parts) => parts.join('')),
  fc
    .tuple(key, fc.constantFrom('in', 'notin'), fc.array(value, { minLength: 1, maxLength: 2 }))
    .map(([name, word, values]) => `${name} ${word} (${values.join(', ')})`),
  key,
  key.map((name) => `!${name}`),
);

test('the platform, its placements and this machine select the same', () => {
  const all = fc.record({ a: value, 'b.c/d': value, 'agent.fleetshift.io/zone': value }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(requirement, { minLength: 1, maxLength: 3 }), all, (parts, labels) => {
      const selector = LabelSelector.parse(parts.join(','));
      const entries = Object.entries(labels) as [string, string][];
      const isReported = ([name]: [string, string]): boolean => name.startsWith('agent.');
      const item = {
        labels: Object.fromEntries(entries.filter((entry) => !isReported(entry))),
        reportedLabels: Object.fromEntries(entries.filter(isReported)),
      };
      assert.equal(selector.matches(item), language.compile(selector.toFilter())(item));
      assert.equal(selector.matches(item), matchesSelector(selector.toSelector(), Object.fromEntries(entries)));
    }),
  );
});

for (const { why, selector, labels, want } of [
  { why: 'another value', selector: 'env=prod', labels: { env: 'dev' }, want: false },
  { why: 'all of it has to hold', selector: 'env=prod,tier', labels: { env: 'prod' }, want: false },
  { why: 'what is not there is not that', selector: 'env!=prod', labels: {}, want: true },
  { why: 'one of several', selector: 'env in (dev, prod)', labels: { env: 'prod' }, want: true },
  { why: 'none of several', selector: 'env notin (dev,prod)', labels: { env: 'prod' }, want: false },
  { why: 'there', selector: 'env', labels: { env: '' }, want: true },
  { why: 'not there', selector: '!env', labels: { env: '' }, want: false },
  { why: 'a name that every object has', selector: 'toString', labels: {}, want: false },
]) {
  test(`${selector}: ${why}`, () => {
    assert.equal(LabelSelector.parse(selector).matches({ labels }), want);
  });
}

for (const selector of ['', ',', 'a=b=c', 'a in b', 'a,,b', '=x', 'a in (x']) {
  test(`"${selector}" is refused`, () => {
    assert.throws(() => LabelSelector.parse(selector), UsageError);
  });
}
