import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '#kit/std';
import { canonicalJson } from '#kit/std';
import type { Document } from '#protocol/delivery';
import type { GenerateTarget } from '../generate-context.ts';
import { fieldOf, isList } from '../json.ts';
import { maskSecrets } from '../split-secrets.ts';
import { aContext, generateTemplate } from '../testing/a-template.ts';
import { type TemplateSpec, templateManifest } from './template-manifest.ts';
import { TEMPLATE_LIMITS, type TemplateLimits } from './work-budget.ts';

const INHERITED = ['constructor', '__proto__', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'length', 'call'];

const VALUES: JsonObject = { n: 3, text: 'abc', list: ['a', 'b'], deep: { x: { y: true } }, secret: { $secret: 's' } };

/** Mostly well formed, and full of names that would escape from a careless sandbox. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('values', 'target', 'deployment', 'config', 'namespace', '1', '0', '"a"', "'b'", 'true', 'null'),
    fc.constantFrom('values.n', 'values.text', 'values.list', 'values.deep', 'values.secret', 'target.labels', 'this'),
    fc.constantFrom('target.properties.list', 'target.properties.text', 'target.labels.tier', 'target.properties'),
    fc.constantFrom(...INHERITED, 'globalThis', 'process', 'require'),
    fc.tuple(tie('expression'), fc.constantFrom(...INHERITED, 'x', 'y')).map(([of, key]) => `${of}.${key}`),
    fc.tuple(tie('expression'), tie('expression')).map(([of, key]) => `${of}[${key}]`),
    fc.tuple(tie('expression'), fc.constantFrom(...INHERITED)).map(([of, key]) => `${of}["${key}"]`),
    fc
      .tuple(
        fc.constantFrom('lower', 'split', 'join', 'json', 'keys', 'merge', 'default', 'has', 'length', ...INHERITED),
        fc.array(tie('expression'), { maxLength: 3 }),
      )
      .map(([name, args]) => `${name}(${args.join(', ')})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('==', '!=', '+', '*', '<', '&&', '||'), tie('expression'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([when, then, otherwise]) => `(${when} ? ${then} : ${otherwise})`),
  ),
}));
const source = fc.oneof(
  expression.map((text) => `\${${text}}`),
  fc.tuple(expression, expression).map(([a, b]) => `a \${${a}} b \${${b}}`),
  fc.string({
    unit: fc.constantFrom('$', '{', '}', '"', "'", '\\', '(', ')', '[', ']', '.', 'a', '1', ' ', '\n', '?', ':'),
  }),
);
const template = fc.record({ a: source, b: fc.array(source, { maxLength: 2 }) });

test('no template gets out: whatever is written, the answer is JSON or faults, and nothing else changed', () => {
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  fc.assert(
    fc.property(template, (document) => {
      const result = generateTemplate({ documents: [document], values: VALUES });
      assert.equal(canonicalJson(JSON.parse(JSON.stringify(result))), canonicalJson(result));
      // A leaked function would show as native code in the text.
      assert.doesNotMatch(
        JSON.stringify(result.kind === 'generated' ? result.documents : []),
        /native code|=>|\[object/,
      );
    }),
    { numRuns: 2000 },
  );
  assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), before);
});

test('the same template, values and target give the same documents', () => {
  fc.assert(
    fc.property(template, (document) => {
      const spec = { documents: [document], values: VALUES };
      assert.deepEqual(
        generateTemplate(spec),
        generateTemplate(structuredClone(spec), { context: structuredClone(aContext()) }),
      );
    }),
    { numRuns: 500 },
  );
});

test('what people see is the same whatever the secret is', () => {
  const [one, other] = [{ values: { ...VALUES, secret: { $secret: 'S3CRET' } } }, { values: VALUES }];
  fc.assert(
    fc.property(template, (document) => {
      const [a, b] = [
        generateTemplate({ documents: [document], ...one }),
        generateTemplate({ documents: [document], ...other }),
      ];
      if (a.kind === 'failed') assert.doesNotMatch(JSON.stringify(a.faults), /S3CRET/);
      if (a.kind === 'failed' || b.kind === 'failed') return;
      assert.deepEqual(maskSecrets<Json>(a.documents), maskSecrets<Json>(b.documents));
    }),
    { numRuns: 2000 },
  );
});

test('a change of a field that a template does not read changes nothing that it makes', () => {
  const labels = fc.dictionary(fc.constantFrom('tier', 'zone', 'x'), fc.constantFrom('gold', 'a'), {
    noNullPrototype: true,
  });
  const properties = fc.dictionary(
    fc.constantFrom('n', 'list', 'text'),
    fc.constantFrom<Json>(1, 'p', ['x', { y: 2 }], {}),
    { noNullPrototype: true },
  );
  const fields = fc.record({ labels, properties });
  fc.assert(
    fc.property(template, fields, fields, (document, before, after) => {
      const strategy = templateManifest({ readText: () => assert.fail('no template here is a file') });
      const spec: TemplateSpec = { type: 'template', documents: [document], values: VALUES };
      const parsed = strategy.parse(spec, '');
      if (parsed.kind === 'faulty') return;
      const [old, fresh] = [aContext(before), aContext(after)];
      if (touches(strategy.reads(parsed.value), old.target, fresh.target)) return;
      assert.deepEqual(strategy.generate(parsed.value, fresh), strategy.generate(parsed.value, old));
    }),
    { numRuns: 2000 },
  );
});

/** Whether a change of a target affects a manifest that reads these fields (JSON pointers). */
function touches(reads: readonly string[], before: GenerateTarget, after: GenerateTarget): boolean {
  const textAt = ({ labels, properties, manifestTypes }: GenerateTarget, pointer: string): string | undefined => {
    const value = valueAt({ labels, properties, manifestTypes }, pointer);
    return value === undefined ? undefined : canonicalJson(value);
  };
  return reads.some((pointer) => textAt(before, pointer) !== textAt(after, pointer));
}

/** The value that a JSON pointer (RFC 6901) points to; `undefined` if there is none. */
function valueAt(value: Json, pointer: string): Json | undefined {
  let found: Json | undefined = value;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isList(found) ? found[Number(key)] : fieldOf(found, key);
  }
  return found;
}

describe('what JavaScript would find and JSON does not have', () => {
  for (const text of [
    'values.constructor',
    'values.__proto__',
    'values["__proto__"]["constructor"]',
    '"".constructor',
    'values.list.constructor',
    'values.list["length"]',
    'values.text[0]',
    'constructor',
    'constructor("return 1")',
    'toString()',
    'hasOwnProperty("n")',
    'keys.constructor',
    'globalThis.process',
    'values.secret["$secret"]',
    'target.labels.hasOwnProperty',
    'config.__defineGetter__',
  ]) {
    test(text, () =>
      assert.equal(generateTemplate({ documents: [{ a: `\${${text}}` }], values: VALUES }).kind, 'failed'),
    );
  }

  test('a key called __proto__ is a key', () => {
    const documents: Document[] = [JSON.parse('{"a":{"__proto__":"${values.n}"},"b":"${values.n}"}')];
    const result = generateTemplate({ documents, values: VALUES });
    assert.equal(JSON.stringify(result.kind === 'generated' && result.documents), '[{"a":{"__proto__":3},"b":3}]');
  });
});

describe('what would not end, or not fit, is a failure', () => {
  const big = 'x'.repeat(2 ** 20);
  for (const { why, documents, limits = TEMPLATE_LIMITS } of [
    { why: 'deep brackets', documents: [{ a: `\${${'('.repeat(100_000)}1${')'.repeat(100_000)}}` }] },
    { why: 'a long chain', documents: [{ a: `\${1${'+1'.repeat(100_000)}}` }] },
    { why: 'a long path', documents: [{ a: `\${values${'.x'.repeat(100_000)}}` }] },
    { why: 'many signs', documents: [{ a: `\${${'-'.repeat(100_000)}1}` }] },
    {
      why: 'a text that grows at each step',
      documents: [{ a: `\${${'replace('.repeat(30)}"aa"${', "a", "aaaa")'.repeat(30)}}` }],
    },
    // Longer than a JavaScript string can be: it has to be refused before it is built.
    {
      why: 'a text that a list is glued with',
      documents: [{ a: `\${join(split("${'a,'.repeat(2 ** 16)}", ","), "${'b'.repeat(10_000)}")}` }],
    },
    {
      why: 'a replacement that is put in very often',
      documents: [{ a: `\${replace("${big}", "x", "${'y'.repeat(1000)}")}` }],
    },
    { why: 'much output', documents: Array.from({ length: 20 }, () => ({ a: `\${"${big}"}` })) },
    {
      why: 'much fixed output',
      documents: [{ $each: { i: '${values.list}' }, a: big, b: '${i}' }],
      limits: { steps: 1e6, output: 2 ** 20 },
    },
    {
      why: 'many steps',
      documents: Array.from({ length: 100 }, () => ({ a: '${values.n * 2}' })),
      limits: { steps: 500, output: 1e6 },
    },
  ] satisfies { why: string; documents: readonly Document[]; limits?: TemplateLimits }[]) {
    test(why, () => {
      const result = generateTemplate({ documents, values: VALUES }, { limits });
      assert.equal(result.kind, 'failed');
      assert.ok(result.kind === 'failed' && result.faults.length === 1, JSON.stringify(result).slice(0, 300));
    });
  }

  test('a long text in quotes is read', () => {
    assert.equal(
      generateTemplate({ documents: [{ a: `\${length("${'x'.repeat(2 ** 22)}")}` }], values: VALUES }).kind,
      'generated',
    );
  });
});
