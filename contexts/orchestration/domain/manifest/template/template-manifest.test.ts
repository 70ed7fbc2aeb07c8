import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import type { TargetId } from '../../target-view.ts';
import type { Document } from '../document-identity.ts';
import type { GenerateContext } from '../generate-context.ts';
import type { Json, JsonObject } from '../json.ts';
import { type TemplateSpec, templateManifest } from './template-manifest.ts';
import type { ReadTemplateText } from './template-source.ts';

const CONTEXT: GenerateContext = {
  target: {
    id: 't-1' as TargetId,
    name: 'edge-1',
    type: 'kubernetes',
    labels: { tier: 'gold', 'topology/zone': 'a' },
    properties: { nodes: 3, region: { name: 'eu' }, pools: [{ name: 'p0' }] },
    manifestTypes: [],
  },
  deployment: { uid: 'd-1', name: 'web', workspace: 'shop' },
  revision: 7,
  namespace: undefined,
  config: { level: 'info' },
};

/** Scalars on one line, which is what these tests have. */
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
const strategy = templateManifest({ readText: readYaml });

function generate(spec: Omit<TemplateSpec, 'type'>, context: Partial<GenerateContext> = {}) {
  const parsed = strategy.parse({ type: 'template', ...spec }, '/manifest');
  if (parsed.kind === 'faulty') return parsed;
  return strategy.generate(parsed.value, { ...CONTEXT, ...context });
}

function rendered(spec: Omit<TemplateSpec, 'type'>, context: Partial<GenerateContext> = {}): readonly Document[] {
  const result = generate(spec, context);
  assert.equal(result.kind, 'generated', JSON.stringify(result));
  return result.kind === 'generated' ? result.documents : [];
}

/** What one text comes to. */
function valueOf(text: string, values: JsonObject = {}): Json | undefined {
  return rendered({ documents: [{ x: text }], values })[0]?.['x'];
}

describe('expressions', () => {
  const values: JsonObject = {
    n: 2,
    text: 'Web',
    list: ['a', 'b'],
    object: { b: 1, a: null },
    none: null,
    'a-b': 'dash',
    tag: '1.2',
    on: true,
  };
  for (const { text, want, why } of [
    { text: '${values.n}', want: 2, why: 'one alone keeps its type' },
    { text: '${values.object}', want: { b: 1, a: null }, why: 'a whole object can be put in' },
    { text: 'v${values.tag}-${values.n}', want: 'v1.2-2', why: 'among text it becomes text' },
    { text: '$${values.n} costs ${values.n}', want: '${values.n} costs 2', why: 'two dollars are none' },
    { text: '${"}"}', want: '}', why: 'a brace in quotes does not close' },
    { text: "${'it\\'s\\n'}", want: "it's\n", why: 'escapes' },
    { text: '${values["a-b"]}', want: 'dash', why: 'any name in brackets' },
    { text: '${values.list[1]}', want: 'b', why: 'lists by number' },
    { text: '${values.none}', want: null, why: 'null is a value' },
    { text: '${1 + 2 * 3 - 4 / 2 % 3}', want: 5, why: 'the usual order of operations' },
    { text: '${-values.n + 3}', want: 1, why: 'minus' },
    { text: '${10 - 3 - 2}', want: 5, why: 'from left to right' },
    { text: '${(1 + 2) * 3}', want: 9, why: 'brackets' },
    { text: '${1 < 2 && !(2 <= 1) || false}', want: true, why: 'logic' },
    { text: '${false && values.nothing}', want: false, why: 'what does not matter is not looked at' },
    { text: '${values.on ? "yes" : values.nothing}', want: 'yes', why: 'nor is the other branch' },
    { text: '${values.n == "2" ? 1 : values.n != 2 ? 2 : 3}', want: 3, why: 'a number is no text' },
    { text: '${values.object == values.object}', want: true, why: 'objects are compared by what is in them' },
    { text: '${default(values.nothing.at.all, "d")}', want: 'd', why: 'default for what is not there' },
    { text: '${default(values.none, "d")}', want: null, why: 'null is there' },
    { text: '${default(namespace, "apps")}', want: 'apps', why: 'a variable may be absent' },
    { text: '${has(values.n) && !has(values.m)}', want: true, why: 'has' },
    { text: '${lower(values.text)}${upper("x")}${trim(" y ")}', want: 'webXy', why: 'lower, upper, trim' },
    { text: '${replace("a.b.c", ".", "-")}', want: 'a-b-c', why: 'replace takes text, and all of it' },
    { text: '${split("a,b", ",")[1]}', want: 'b', why: 'split, and an item of what a function gave' },
    { text: '${join(values.list, "-")}', want: 'a-b', why: 'join' },
    { text: '${truncate("añb😀c", 4)}', want: 'añb😀', why: 'characters, never half of one' },
    { text: '${length("😀") + length(values.list) + length(values.object)}', want: 5, why: 'length' },
    { text: '${contains(values.list, "a") && contains("abc", "bc")}', want: true, why: 'contains' },
    { text: '${startsWith("abc", "ab") && endsWith("abc", "bc")}', want: true, why: 'startsWith, endsWith' },
    { text: '${number("12.5") + number(1)}', want: 13.5, why: 'number' },
    { text: '${string(values.n)}', want: '2', why: 'string' },
    { text: '${json(values.object)}', want: '{"a":null,"b":1}', why: 'json has one order of keys' },
    { text: '${base64("hé")}', want: 'aMOp', why: 'base64 of UTF-8' },
    { text: '${truncate(hash(values.list), 8)}', want: '0473ef2d', why: 'hash of any value' },
    { text: '${keys(values.object)}', want: ['a', 'b'], why: 'keys in order' },
    { text: '${merge(values.object, target.properties.region)}', want: { b: 1, a: null, name: 'eu' }, why: 'merge' },
    { text: '${target.name}/${target.labels["topology/zone"]}', want: 'edge-1/a', why: 'target fields' },
    { text: '${target.properties.pools[0].name}', want: 'p0', why: 'target properties' },
    { text: '${deployment.workspace}/${deployment.name}@${revision}', want: 'shop/web@7', why: 'the deployment' },
    { text: '${config.level}', want: 'info', why: 'config' },
  ]) {
    test(`${why}: ${text}`, () => assert.deepEqual(valueOf(text, values), want));
  }
});

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
      const result = generate({ documents: [{ a: [text] }], values: { text: 't', list: [], object: {} } });
      assert.notEqual(result.kind, 'generated');
      const [fault, ...others] = result.kind === 'generated' ? [] : result.faults;
      assert.deepEqual(others, []);
      assert.deepEqual({ ...fault, message: '' }, { path: '/manifest/documents/0/a/0', message: '', line, column });
      assert.match(fault?.message ?? '', new RegExp(`^line ${line}, column ${column}: `));
    });
  }

  test('all of it at once, and of a file where it is there', () => {
    const template = ['kind: A', 'name: ${valeus.x}', '---', 'kind: B', 'spec:', '  - "a ${nothing}"', ''].join('\n');
    const result = generate({ template });
    assert.deepEqual(result.kind === 'faulty' && result.faults.map((fault) => ({ ...fault, message: '' })), [
      { path: '/manifest/template', message: '', line: 2, column: 9 },
      { path: '/manifest/template', message: '', line: 6, column: 10 },
    ]);
  });

  test('one text that does not work out does not hide another', () => {
    const result = generate({ documents: [{ a: '${values.x}', b: '${values.y}' }] });
    assert.equal(result.kind === 'failed' && result.faults.length, 2);
  });
});

describe('documents', () => {
  test('YAML with expressions is YAML', () => {
    const template =
      'kind: Deployment\nspec:\n  replicas: ${values.replicas}\n  image: ${values.image}:${values.tag}\n';
    assert.deepEqual(rendered({ template, values: { replicas: 3, image: 'web', tag: 'v1' } }), [
      { kind: 'Deployment', spec: { replicas: 3, image: 'web:v1' } },
    ]);
  });

  test('a value cannot become more than a value, whatever is in it', () => {
    const nasty = 'x"\n---\nkind: Secret\n${values.a}';
    assert.equal(valueOf('a ${values.a}', { a: nasty }), `a ${nasty}`);
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
    assert.deepEqual(rendered({ documents, values: { tenants } }), [
      { kind: 'Gold' },
      { kind: 'Tenant', metadata: { name: 'a' } },
      { kind: 'Tenant', metadata: { name: 'c' } },
    ]);
  });

  test('keys are texts too', () => {
    assert.deepEqual(rendered({ documents: [{ '${target.name}.conf': 1, __proto__x: 2 }] }), [
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
      assert.notEqual(generate(values['$secret'] === undefined ? spec : { ...spec, values }).kind, 'generated');
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
    assert.deepEqual(rendered(spec), [{ all: { a: 'zone', b: 'own', c: 1, deep: { x: 1, y: 2 } } }]);
  });

  test('a secret is replaced as a whole, and never loses its mark', () => {
    const values = { a: { $secret: 'old' }, b: { $secret: 'old' }, c: { open: 1 } };
    const own = { a: { $secret: 'new' }, b: { open: 1 }, c: { $secret: 'new' } };
    assert.deepEqual(rendered({ documents, values, targets: { 'edge-1': own } }), [{ all: own }]);
  });

  test('a target that is called like something inherited has no values of its own', () => {
    const target = { ...CONTEXT.target, name: 'constructor' };
    assert.deepEqual(rendered({ documents, values: { a: 1 } }, { target }), [{ all: { a: 1 } }]);
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
      const parsed = strategy.parse({ type: 'template', documents, overrides }, '');
      assert.ok(parsed.kind === 'parsed');
      assert.deepEqual(strategy.reads(parsed.value), want);
    });
  }
});

describe('secrets', () => {
  const values = {
    password: { $secret: 'hunter2' },
    db: { user: 'u', password: { $secret: 'hunter3' } },
    all: { $secret: { a: 'hunter4' } },
    flag: { $secret: true },
    many: { $secret: ['hunter5'] },
  };
  for (const { why, text, want } of [
    { why: 'one alone stays marked', text: '${values.password}', want: { $secret: 'hunter2' } },
    {
      why: 'text around it is secret with it',
      text: 'pg://u:${values.password}@h',
      want: { $secret: 'pg://u:hunter2@h' },
    },
    { why: 'so is what a function makes of it', text: '${base64(values.password)}', want: { $secret: 'aHVudGVyMg==' } },
    { why: 'and a number that says something of it', text: '${length(values.password)}', want: { $secret: 7 } },
    { why: 'and a choice by it', text: '${values.password == "hunter2" ? "yes" : "no"}', want: { $secret: 'yes' } },
    { why: 'an object with one inside stays open around it', text: '${values.db}', want: values.db },
    { why: 'also when merged', text: '${merge(values.db, values.db)}', want: values.db },
    {
      why: 'as text it is secret as a whole',
      text: '${json(values.db)}',
      want: { $secret: '{"password":"hunter3","user":"u"}' },
    },
    { why: 'what is inside of a secret is one', text: '${values.all.a}', want: { $secret: 'hunter4' } },
    { why: 'what stands beside one is not', text: '${values.db.user}', want: 'u' },
    { why: 'whether there is one is not', text: '${has(values.password)}', want: true },
  ]) {
    test(why, () => assert.deepEqual(valueOf(text, values), want));
  }

  test('a place that is marked in the template is secret whatever stands there', () => {
    assert.deepEqual(rendered({ documents: [{ a: { $secret: 'k-${target.name}' } }] }), [
      { a: { $secret: 'k-edge-1' } },
    ]);
  });

  for (const { why, document } of [
    { why: 'whether there is a document', document: { $when: '${values.password == "x"}' } },
    { why: 'how many documents there are', document: { $each: { i: '${split(values.password, "")}' } } },
    { why: 'whether there is a document, by a marked boolean', document: { $when: '${values.flag}' } },
    { why: 'how many documents there are, by a marked list', document: { $each: { i: '${values.many}' } } },
    { why: 'the name of a field', document: { '${values.password}': 1 } },
    { why: 'the kind of a document', document: { kind: '${values.password}' } },
    { why: 'the name of a document', document: { metadata: { name: 'a-${values.password}' } } },
    {
      why: 'the message of a failure',
      document: { a: '${number(values.password)}', b: '${values.db[values.password]}', c: '${1 + values.password}' },
    },
  ] satisfies { why: string; document: Document }[]) {
    test(`nowhere to be seen: ${why}`, () => {
      const result = generate({ documents: [document], values });
      assert.equal(result.kind, 'failed');
      assert.doesNotMatch(JSON.stringify(result), /hunter/);
    });
  }
});

function named(name: string): Document {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}
