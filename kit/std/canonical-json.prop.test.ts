import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';
import { contentHash } from './content-hash.ts';
import { Secret } from './secret.ts';
import { StdError } from './std-error.ts';

/** JSON values after a round trip, so without negative zero, which JSON cannot represent. */
const json = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 4 })
  .map((value): unknown => JSON.parse(JSON.stringify(value)));

function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reordered(inner)]),
  );
}

test('what was written is read back as the same value', () => {
  fc.assert(fc.property(json, (value) => assert.deepEqual(JSON.parse(canonicalJson(value)), value)));
});

test('the order of keys does not matter, neither for the text nor for the hash', () => {
  fc.assert(
    fc.property(json, (value) => {
      assert.equal(canonicalJson(reordered(value)), canonicalJson(value));
      assert.equal(contentHash(reordered(value)), contentHash(value));
    }),
  );
});

test('different values have different texts', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const same = canonicalJson(a) === canonicalJson(b);
      if (same) assert.deepEqual(a, b);
      else assert.notDeepEqual(a, b);
    }),
  );
});

for (const { why, value, want } of [
  {
    why: 'keys sort by UTF-16 code units, not by code points',
    value: { '\u{1f600}': 1, '\ufb33': 2 },
    want: '{"\u{1f600}":1,"\ufb33":2}',
  },
  {
    why: 'keys that look like numbers sort as text',
    value: { 10: 'a', 9: 'b', 1: 'c' },
    want: '{"1":"c","10":"a","9":"b"}',
  },
  {
    why: 'numbers are written as ECMAScript does',
    value: [1e21, 1e-7, 0.1, -0, 333333333.3333333],
    want: '[1e+21,1e-7,0.1,0,333333333.3333333]',
  },
  { why: 'only what must be escaped is', value: '\u000f\n/"\\€', want: '"\\u000f\\n/\\"\\\\€"' },
  { why: 'a key called __proto__ is a key', value: JSON.parse('{"__proto__":1}'), want: '{"__proto__":1}' },
  { why: 'a row without a prototype is plain', value: Object.assign(Object.create(null), { a: 1 }), want: '{"a":1}' },
  {
    why: 'the same value twice is not a cycle',
    value: ((shared) => [shared, shared])({ a: 1 }),
    want: '[{"a":1},{"a":1}]',
  },
]) {
  test(why, () => assert.equal(canonicalJson(value), want));
}

function cycle(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

for (const { why, value, path } of [
  { why: 'NaN', value: { a: [1, Number.NaN] }, path: '/a/1' },
  { why: 'an infinity', value: [Number.NEGATIVE_INFINITY], path: '/0' },
  { why: 'a big integer', value: { n: 1n }, path: '/n' },
  { why: 'undefined in an object', value: { a: { b: undefined } }, path: '/a/b' },
  { why: 'a hole in an array', value: Array(1), path: '/0' },
  { why: 'undefined itself', value: undefined, path: '' },
  { why: 'a function', value: { f: () => 1 }, path: '/f' },
  { why: 'a symbol', value: [Symbol('s')], path: '/0' },
  { why: 'a date', value: { at: new Date(0) }, path: '/at' },
  { why: 'a map', value: new Map(), path: '' },
  { why: 'a secret, which would be hashed as its redaction', value: { token: new Secret('s') }, path: '/token' },
  { why: 'a lone surrogate', value: ['\ud800'], path: '/0' },
  { why: 'a lone surrogate in a key', value: { '\ud800': 1 }, path: '/\ud800' },
  { why: 'a cycle', value: { deep: cycle() }, path: '/deep/self' },
  { why: 'a path that needs escapes', value: { 'a/b~c': Number.NaN }, path: '/a~1b~0c' },
]) {
  test(`refused with its path: ${why}`, () => {
    assert.throws(
      () => canonicalJson(value),
      (error) => error instanceof StdError && error.code === 'NOT_JSON' && error.faults[0]?.path === path,
    );
  });
}

test('nesting that would exhaust the stack is refused as input, not as a crash', () => {
  const bomb: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  assert.throws(
    () => canonicalJson(bomb),
    (error) => error instanceof StdError && error.code === 'NOT_JSON',
  );
});

test('the hash is the SHA-256 of the canonical text', () => {
  // printf '{"a":1}' | sha256sum
  assert.equal(contentHash({ a: 1 }), 'sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862');
});
