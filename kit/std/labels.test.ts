import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { labelFaults, MAX_LABELS, mergeLabels, sameLabels, sortedLabels } from './labels.ts';

const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, '']));

describe('labels', () => {
  for (const { why, given } of [
    { why: 'none at all', given: {} },
    { why: 'an empty value', given: { canary: '' } },
    { why: 'inner dots, underscores and hyphens, and either case', given: { 'App_v.1-b': 'Blue_v.2-c' } },
    { why: 'a DNS domain before the name', given: { 'example.com/team': 'web' } },
    { why: 'keys that every object inherits', given: { constructor: 'x', toString: 'y' } },
    { why: 'name and value of 63 characters', given: { ['k'.repeat(63)]: 'v'.repeat(63) } },
    { why: 'a domain of 253 characters', given: { [`${'d'.repeat(253)}/k`]: '' } },
    { why: 'as many as there may be', given: labels(MAX_LABELS) },
  ]) {
    it(`accepts ${why}`, () => assert.deepEqual(labelFaults(given), []));
  }

  for (const { why, given, path } of [
    { why: 'an empty key', given: { '': 'x' }, path: '/labels/' },
    { why: 'a key that begins with a hyphen', given: { '-app': 'x' }, path: '/labels/-app' },
    { why: 'a key with a space', given: { 'my app': 'x' }, path: '/labels/my app' },
    { why: 'a name of 64 characters', given: { ['k'.repeat(64)]: 'x' }, path: `/labels/${'k'.repeat(64)}` },
    { why: 'nothing before the slash', given: { '/app': 'x' }, path: '/labels/~1app' },
    { why: 'nothing after the slash', given: { 'example.com/': 'x' }, path: '/labels/example.com~1' },
    { why: 'two slashes', given: { 'a/b/c': 'x' }, path: '/labels/a~1b~1c' },
    { why: 'a domain with upper case', given: { 'Example.com/app': 'x' }, path: '/labels/Example.com~1app' },
    {
      why: 'a domain of 254 characters',
      given: { [`${'d'.repeat(254)}/k`]: '' },
      path: `/labels/${'d'.repeat(254)}~1k`,
    },
    { why: 'a tilde, escaped in the pointer', given: { 'a~b': 'x' }, path: '/labels/a~0b' },
    { why: 'the key that sets a prototype', given: JSON.parse('{"__proto__": "x"}'), path: '/labels/__proto__' },
    { why: 'a value of 64 characters', given: { app: 'v'.repeat(64) }, path: '/labels/app' },
    { why: 'a value with a slash', given: { app: 'a/b' }, path: '/labels/app' },
    { why: 'a value that ends with a dot', given: { app: 'web.' }, path: '/labels/app' },
    { why: 'a line break after the value', given: { app: 'web\n' }, path: '/labels/app' },
    { why: 'one too many', given: labels(MAX_LABELS + 1), path: '/labels' },
  ]) {
    it(`refuses ${why}`, () =>
      assert.deepEqual(
        labelFaults(given).map((fault) => fault.path),
        [path],
      ));
  }

  it('names each label that is wrong', () => {
    assert.equal(labelFaults({ 'a b': 'x', fine: 'x', c: 'd e' }).length, 2);
  });

  it('are named by where they stand in the document', () => {
    assert.equal(labelFaults({ 'a b': 'x' }, '/seen')[0]?.path, '/seen/a b');
  });

  it('are merged one by one, in order', () => {
    const merged = mergeLabels({ b: '1', c: '2' }, { a: '0', b: null, constructor: 'x' });
    assert.deepEqual(Object.entries(merged), [
      ['a', '0'],
      ['c', '2'],
      ['constructor', 'x'],
    ]);
    assert.deepEqual([mergeLabels({ a: '1' }, null), mergeLabels({ a: '1' }, undefined)], [{}, { a: '1' }]);
  });

  it('are the same when keys and values are', () => {
    assert.ok(sameLabels({ a: '1', b: '' }, { b: '', a: '1' }));
    assert.ok(!sameLabels({ a: '1' }, { a: '2' }) && !sameLabels({ a: '' }, { b: '' }) && !sameLabels({}, { a: '' }));
  });

  it('are kept in the order of their keys', () => {
    assert.deepEqual(Object.keys(sortedLabels({ b: '1', a: '2', B: '3' })), ['B', 'a', 'b']);
  });
});
