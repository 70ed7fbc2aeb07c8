import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import type { JsonObject } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { aContext, generateTemplate, renderedDocuments, valueOfText } from '../testing/a-template.ts';
import { templateManifest } from './template-manifest.ts';
import type { ReadTemplateText } from './template-source.ts';

/** Only handles scalars on one line, which is all that these tests use. */
const readYaml: ReadTemplateText = (text) => {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines });
  return {
    kind: 'parsed',
    value: {
      documents: parsed.map((document) => document.toJS() as Document),
      locate: (path, inner) => {
        const [index, ...keys] = path.split('/').slice(1);
        let node: unknown = parsed[Number(index)]?.contents;
        for (const key of keys)
          node = isMap(node) || isSeq(node) ? node.get(isSeq(node) ? Number(key) : key, true) : node;
        const quote = isScalar(node) && node.type?.startsWith('QUOTE') ? 1 : 0;
        const { line, col } = lines.linePos((node as Node).range?.[0] ?? 0);
        return { line: line + inner.line - 1, column: col + quote + inner.column - 1 };
      },
    },
  };
};

describe('what is wrong is told with line and column', () => {
  for (const { why, text, line = 1, column } of [
    { why: 'an unknown variable, before there is a target', text: 'a ${valeus.x}', column: 5 },
    { why: 'an unknown field of a target', text: '${target.nmae}', column: 3 },
    { why: 'an unknown field, told once', text: '${deployment.nmae.x}', column: 3 },
    { why: 'an unknown function', text: '${1 + exec("ls")}', column: 7 },
    { why: 'too few arguments', text: '${lower()}', column: 3 },
    { why: 'default of no path', text: '${default(1, 2)}', column: 3 },
    { why: 'no end', text: 'x\n ${values.a', line: 2, column: 4 },
    { why: 'quotes without end', text: '${"abc}', column: 3 },
    { why: 'a character without meaning', text: '${a = 1}', column: 5 },
    { why: 'nothing', text: '${}', column: 3 },
    { why: 'two things side by side', text: '${values.a values.b}', column: 12 },
    { why: 'an escape that there is not', text: '${"a\\x"}', column: 5 },
    { why: 'a value that is not there', text: 'one\ntwo ${values.nothing}', line: 2, column: 7 },
    { why: 'an unknown field deep below', text: '${values.a.b}', column: 3 },
    { why: 'an object within text', text: 'x${values.object}', column: 4 },
    { why: 'text where a number should be', text: '${1 + values.text}', column: 7 },
    { why: 'text where a boolean should be', text: '${values.text ? 1 : 2}', column: 3 },
    { why: 'a division by zero', text: '${1 / 0}', column: 3 },
    { why: 'a name where a list wants a number', text: '${values.list.length}', column: 3 },
    { why: 'into a text', text: '${values.text.length}', column: 3 },
    { why: 'a function that refuses', text: '${replace("a", "", "b")}', column: 3 },
  ]) {
    test(why, () => {
      const result = generateTemplate({ documents: [{ a: [text] }], values: { text: 't', list: [], object: {} } });
      assert.notEqual(result.kind, 'generated');
      const [fault, ...others] = result.kind === 'generated' ? [] : result.faults;
      assert.deepEqual(others, []);
      assert.deepEqual({ ...fault, message: '' }, { path: '/manifest/documents/0/a/0', message: '', line, column });
      assert.match(fault?.message ?? '', new RegExp(`^line ${line}, column ${column}: `));
    });
  }

  test('all of it at once, and of a file where it is there', () => {
    const template = ['kind: A', 'name: ${valeus.x}', '---', 'kind: B', 'spec:', '  - "a ${nothing}"', ''].join('\n');
    const result = generateTemplate({ template }, { readText: readYaml });
    assert.deepEqual(result.kind === 'failed' && result.faults.map((fault) => ({ ...fault, message: '' })), [
      { path: '/manifest/template', message: '', line: 2, column: 9 },
      { path: '/manifest/template', message: '', line: 6, column: 10 },
    ]);
  });

  test('one text that does not work out does not hide another', () => {
    const result = generateTemplate({ documents: [{ a: '${values.x}', b: '${values.y}' }] });
    assert.equal(result.kind === 'failed' && result.faults.length, 2);
  });
});

describe('documents', () => {
  test('YAML with expressions is YAML', () => {
    const template =
      'kind: Deployment\nspec:\n  replicas: ${values.replicas}\n  image: ${values.image}:${values.tag}\n';
    assert.deepEqual(
      renderedDocuments({ template, values: { replicas: 3, image: 'web', tag: 'v1' } }, { readText: readYaml }),
      [{ kind: 'Deployment', spec: { replicas: 3, image: 'web:v1' } }],
    );
  });

  test('a value cannot become more than a value, whatever is in it', () => {
    const nasty = 'x"\n---\nkind: Secret\n${values.a}';
    assert.equal(valueOfText('a ${values.a}', { a: nasty }), `a ${nasty}`);
  });

  test('$when leaves one out, $each makes one of each item', () => {
    const documents = [
      { $when: "${target.labels.tier == 'gold'}", kind: 'Gold' },
      { $when: "${target.labels.tier == 'iron'}", kind: 'Iron' },
      {
        $each: { tenant: '${values.tenants}' },
        $when: '${tenant.on}',
        kind: 'Tenant',
        metadata: { name: '${tenant.name}' },
      },
    ];
    const tenants = [
      { name: 'a', on: true },
      { name: 'b', on: false },
      { name: 'c', on: true },
    ];
    assert.deepEqual(renderedDocuments({ documents, values: { tenants } }), [
      { kind: 'Gold' },
      { kind: 'Tenant', metadata: { name: 'a' } },
      { kind: 'Tenant', metadata: { name: 'c' } },
    ]);
  });

  test('keys are texts too', () => {
    assert.deepEqual(renderedDocuments({ documents: [{ '${target.name}.conf': 1, __proto__x: 2 }] }), [
      { 'edge-1.conf': 1, __proto__x: 2 },
    ]);
  });

  for (const { why, documents, values = {} } of [
    { why: 'a key that comes to one that is there', documents: [{ 'edge-1': 1, '${target.name}': 2 }] },
    { why: 'two documents that come to the same', documents: [named('web'), named('${deployment.name}')] },
    { why: '$when that is no expression', documents: [{ $when: true }] },
    { why: '$when that comes to no boolean', documents: [{ $when: '${1}' }] },
    { why: '$each that comes to no list', documents: [{ $each: { i: '${1}' } }] },
    { why: '$each that takes the name of a variable', documents: [{ $each: { values: '${values.list}' } }] },
    { why: '$each of two', documents: [{ $each: { a: '${values.list}', b: '${values.list}' } }] },
    {
      why: 'a name of $each that is not bound in another document',
      documents: [{ $each: { i: '${values.list}' } }, { a: '${i}' }],
    },
    { why: 'neither documents nor a text', documents: undefined },
    { why: 'values marked as a whole', documents: [{}], values: { $secret: 'x' } },
    { why: 'a masked secret that was sent back', documents: [{}], values: { password: { $secret: '[redacted]' } } },
    { why: 'a mark with something beside it', documents: [{ a: { $secret: 'x', b: 1 } }] },
  ] satisfies { why: string; documents: readonly Document[] | undefined; values?: JsonObject }[]) {
    test(`refused: ${why}`, () => {
      const spec = { values: { list: ['a'], ...values }, ...(documents && { documents }) };
      assert.notEqual(generateTemplate(values['$secret'] === undefined ? spec : { ...spec, values }).kind, 'generated');
    });
  }
});

describe('values for a target', () => {
  const documents = [{ all: '${values}' }];
  const overrides = [
    { selector: { matchLabels: { tier: 'gold' } }, values: { a: 'gold', deep: { y: 2 }, gone: null } },
    { selector: { matchLabels: { tier: 'iron' } }, values: { a: 'iron' } },
    {
      selector: { matchExpressions: [{ key: 'topology/zone', operator: 'In', values: ['a'] }] },
      values: { b: 'zone', a: 'zone' },
    },
  ] as const;

  test('the base, then each override that selects it in order, then its own', () => {
    const spec = {
      documents,
      values: { a: 1, b: 1, c: 1, gone: 1, deep: { x: 1 } },
      overrides,
      targets: { 'edge-1': { b: 'own' } },
    };
    assert.deepEqual(renderedDocuments(spec), [{ all: { a: 'zone', b: 'own', c: 1, deep: { x: 1, y: 2 } } }]);
  });

  test('a secret is replaced as a whole, and never loses its mark', () => {
    const values = { a: { $secret: 'old' }, b: { $secret: 'old' }, c: { open: 1 } };
    const own = { a: { $secret: 'new' }, b: { open: 1 }, c: { $secret: 'new' } };
    assert.deepEqual(renderedDocuments({ documents, values, targets: { 'edge-1': own } }), [{ all: own }]);
  });

  test('a target that is called like something inherited has no values of its own', () => {
    const context = aContext({ name: 'constructor' });
    assert.deepEqual(renderedDocuments({ documents, values: { a: 1 } }, { context }), [{ all: { a: 1 } }]);
  });
});

describe('what it reads of a target', () => {
  for (const { why, documents, overrides = [], want } of [
    { why: 'nothing', documents: [{ a: '${values.a}${deployment.name}' }], want: [] },
    {
      why: 'fields as far as they are written out',
      documents: [{ a: '${target.properties.region.name}' }],
      want: ['/properties/region/name'],
    },
    { why: 'a label with a slash', documents: [{ a: '${target.labels["a/b"]}' }], want: ['/labels/a~1b'] },
    {
      why: 'all labels when the name is worked out',
      documents: [{ a: '${target.labels[values.k]}' }],
      want: ['/labels'],
    },
    { why: 'all of it', documents: [{ a: '${json(target)}' }], want: [''] },
    {
      why: 'in conditions, lists, keys and fallbacks',
      documents: [
        {
          $when: '${has(target.labels.x)}',
          $each: { i: '${target.properties.l}' },
          '${target.name}': '${default(values.a, target.type)}',
        },
      ],
      want: ['/labels/x', '/name', '/properties/l', '/type'],
    },
    {
      why: 'labels that overrides select by',
      documents: [],
      overrides: [
        {
          selector: { matchLabels: { tier: 'x' }, matchExpressions: [{ key: 'z', operator: 'Exists' as const }] },
          values: {},
        },
      ],
      want: ['/labels/tier', '/labels/z'],
    },
  ]) {
    test(why, () => {
      const strategy = templateManifest({ readText: readYaml });
      const parsed = strategy.parse({ type: 'template', documents, overrides }, '');
      assert.ok(parsed.kind === 'parsed');
      assert.deepEqual(strategy.reads(parsed.value), want);
    });
  }
});

function named(name: string): Document {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}
