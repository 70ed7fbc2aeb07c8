import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { growthRatio } from '#testing/cpu-ratio';
import { BoundedCel } from './bounded-cel.ts';
import { CEL_ERRORS } from './cel-error.ts';

const language = new BoundedCel({ object: 'dyn' });
const value = (source: string, object: unknown): unknown => language.compile(source).evaluate({ object });
const ofLength = (length: number): object => ({
  list: Array.from({ length }, (_, n) => ({ a: n })),
  text: 'x'.repeat(length),
});
const CONTAINERS_READY =
  'object.spec.containers.all(c, object.status.containerStatuses.exists(s, s.name == c.name && s.ready))';

describe('expressions with a bounded cost', () => {
  for (const { source, object, want } of [
    { source: 'object.status.phase == "Ready"', object: { status: { phase: 'Ready' } }, want: true },
    {
      source: 'object.conditions.exists(c, c.type == "Ready" && c.status == "True")',
      object: {
        conditions: Array.from({ length: 500 }, (_, n) => ({ type: n === 400 ? 'Ready' : 'x', status: 'True' })),
      },
      want: true,
    },
    {
      source: CONTAINERS_READY,
      object: {
        spec: { containers: Array.from({ length: 30 }, (_, n) => ({ name: `c${n}` })) },
        status: { containerStatuses: Array.from({ length: 30 }, (_, n) => ({ name: `c${n}`, ready: true })) },
      },
      want: true,
    },
    { source: 'object.text.contains("needle")', object: { text: `${'hay'.repeat(300_000)}needle` }, want: true },
    {
      source: 'object.groups.filter(g, g.startsWith("a-")).map(g, g.substring(2))',
      object: { groups: ['a-b', 'c'] },
      want: ['b'],
    },
    { source: 'object.name.split("@")[0] + ".x"', object: { name: 'a@b' }, want: 'a.x' },
    { source: 'cel.bind(x, object.a, x + x)', object: { a: 'b' }, want: 'bb' },
  ]) {
    it(`are evaluated: ${source}`, () => assert.deepEqual(value(source, object), want));
  }

  for (const { why, source, code } of [
    { why: 'a regular expression', source: 'object.a.matches("^(a+)+$")', code: 'EXPRESSION_INVALID' },
    { why: 'a regular expression as a function', source: 'matches(object.a, "a")', code: 'EXPRESSION_INVALID' },
    { why: 'a text that is read as JSON', source: 'bytes(object.a).json()', code: 'EXPRESSION_INVALID' },
    { why: 'no CEL', source: '&&', code: 'EXPRESSION_INVALID' },
    { why: 'types that do not fit', source: '1 + "a"', code: 'EXPRESSION_INVALID' },
    { why: 'another variable', source: 'claims.a', code: 'EXPRESSION_INVALID' },
    { why: 'a long one', source: `true ${' '.repeat(5_000)}`, code: 'EXPRESSION_INVALID' },
    {
      why: 'three loops inside each other',
      source: 'object.all(a, object.all(b, object.all(c, a.x == b.x && b.x == c.x)))',
      code: 'EXPRESSION_TOO_COSTLY',
    },
    {
      why: 'a text that doubles',
      source: `${Array.from({ length: 12 }, (_, n) => `cel.bind(v${n + 1}, v${n} + v${n}, `)
        .join('')
        .replaceAll('v0', 'object.a')}v12 == ""${')'.repeat(12)}`,
      code: 'EXPRESSION_TOO_COSTLY',
    },
    {
      why: 'a list that multiplies',
      source: 'object.a.map(a, object.a.map(b, object.a.map(c, object.a.map(d, [a, b, c, d])))) == []',
      code: 'EXPRESSION_TOO_COSTLY',
    },
  ]) {
    it(`are refused when they are written: ${why}`, () => {
      assert.throws(() => language.compile(source), { code });
    });
  }

  for (const { why, source, object } of [
    {
      why: 'two loops over long lists',
      source: 'object.list.all(a, object.list.exists(b, a.a == b.a))',
      object: ofLength(2_000),
    },
    { why: 'a loop whose steps fail', source: 'object.list.all(a, a.x || a.y || a.z)', object: ofLength(20_000) },
    {
      why: 'a search for a long text in a long one',
      source: 'object.text.contains(object.text + "y")',
      object: ofLength(200_000),
    },
    {
      why: 'a search for every entry',
      source: 'object.list.all(a, object.text.contains(a))',
      object: { list: Array(5_000).fill('xy'), text: 'x'.repeat(500_000) },
    },
    {
      why: 'a loop over the letters of a text',
      source: 'object.text.split("").all(a, a == "x")',
      object: ofLength(200_000),
    },
    {
      why: 'comparing all with each',
      source: 'object.list.all(a, object.list + [a] != object.list)',
      object: ofLength(5_000),
    },
  ]) {
    it(`do not begin where they would take long: ${why}`, () => {
      assert.throws(() => value(source, object), { code: 'EXPRESSION_TOO_COSTLY' });
    });
  }

  it('do not take long to read, however deep', () => {
    const nested = (depth: number): string => `${'object.all(a, '.repeat(depth)}true${')'.repeat(depth)}`;
    assert.throws(() => language.compile(nested(14)), { code: 'EXPRESSION_TOO_COSTLY' });
    assert.throws(() => language.compile(nested(60)), { code: 'EXPRESSION_INVALID' });
  });

  for (const { why, source, object } of [
    { why: 'a loop', source: 'object.list.all(a, a.a >= 0)', object: ofLength },
    { why: 'a loop whose steps fail', source: 'object.list.all(a, a.x)', object: ofLength },
    {
      why: 'a search',
      source: 'object.text.contains("xxxxxxxxy")',
      object: (n: number) => ({ text: 'x'.repeat(100 * n) }),
    },
    { why: 'measuring', source: 'object.a', object: (n: number) => ({ a: true, b: ofLength(n), c: 'x'.repeat(n) }) },
  ]) {
    it(`take work that grows with the value: ${why}`, () => {
      const expression = language.compile(source);
      const ratio = growthRatio((n) => attempt(() => expression.evaluate({ object: object(n) })), 300);
      assert.ok(ratio < 9, `four times the value took ${ratio} times the work`);
    });
  }
});

/** Expressions that throw instead of returning a value are part of the test. */
function attempt(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'EXPRESSION_INVALID');
  }
}

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: CEL_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
