import assert from 'node:assert/strict';
import { parseDoorPath } from '../../contexts/api-proxy/domain/door-path.ts';
import { kindOf } from '../../contexts/api-proxy/domain/request-kind.ts';
import { BoundedCel, CelError } from '../../kit/cel/index.ts';
import { HttpError } from '../../kit/http/errors/http-error.ts';
import { FilterLanguage } from '../../kit/http/lists/filter.ts';
import { parseJson } from '../../kit/http/server/parse-json.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { refusing } from './refusing.ts';

const object = {
  kind: 'Pod',
  metadata: { name: 'a', labels: { a: 'b' } },
  status: { phase: 'Ready', n: 3, list: [{ a: 1 }, { a: 2 }] },
};
const rules = new BoundedCel({ object: 'dyn' });
const filters = new FilterLanguage({
  name: 'string',
  n: 'int',
  labels: 'map<string, string>',
  tags: 'list<string>',
  time: 'timestamp',
  status: { phase: 'string' },
});
const item = {
  name: 'a',
  n: 1,
  labels: { a: 'b' },
  tags: ['x'],
  time: '2026-01-01T00:00:00Z',
  status: { phase: 'Ready' },
};
const CEL_WORDS = [
  'object',
  '.status',
  '.list',
  '.all(a, ',
  '.exists(a, ',
  '.map(a, ',
  '.filter(a, ',
  '.exists_one(a, ',
  'cel.bind(b, ',
  ')',
  '==',
  '!=',
  '&&',
  '||',
  '?',
  ':',
  ' in ',
  '[',
  ']',
  '"a"',
  "'",
  '1',
  '0x1u',
  'b"a"',
  'r"a"',
  '"""',
  'has(',
  'size(',
  '.contains(',
  '.split(',
  '.join(',
  '.matches(',
  'timestamp("2026-01-01T00:00:00Z")',
  '.getHours("UTC")',
  'duration("1s")',
  'string(',
  '{',
  '}',
  '//',
  '\\u0041',
  '-',
  '!',
];
const CEL_SEEDS = [
  'object.status.phase == "Ready"',
  'object.status.list.exists(a, a.a == 1 && has(a.b)) || object.status.n in [1, 2]',
  'object.status.list.map(a, a.a + 1).filter(b, b > 1).size() > 0 ? "x" : string(1.5)',
  'cel.bind(b, object.metadata.name, b + b) != "" && !object.metadata.labels["a"].startsWith("c")',
  'timestamp("2026-01-01T00:00:00Z").getHours("UTC") > -1 && ["a"].join(",").split("a", 1)[0].contains("b")',
  'object.a.matches("a")',
  '{"a": [1, 2u]}.a.all(x, x > 1)',
];

export const TEXT_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'cel',
    files: ['/kit/cel/'],
    libraries: ['/cel-js/'],
    seeds: CEL_SEEDS,
    words: CEL_WORDS,
    run: (input) => refusing(CelError, () => void rules.compile(input.toString()).evaluate({ object })),
  },
  {
    name: 'filter',
    files: ['/kit/http/lists/filter.ts', '/kit/cel/check-calls.ts'],
    libraries: ['/cel-js/'],
    seeds: [
      'name == "a" && labels.a == "b"',
      'tags.exists(t, t.startsWith("x")) || n > 1',
      'time > timestamp("2026-01-01T00:00:00Z") && status.phase in ["a"]',
      'tags.all(a, tags.all(b, a == b))',
      'labels.nope == "x"',
      '10 / (n - 1) == 1',
      'name',
      'time > timestamp("soon")',
      '[1].all(a, a > 0)',
      'x'.repeat(3_000),
    ],
    words: [...CEL_WORDS, 'name', 'labels', 'tags', 'time', 'status.phase'],
    run: (input) => refusing(HttpError, () => void filters.compile(input.toString())(item)),
  },
  {
    name: 'json',
    files: ['/kit/http/server/parse-json.ts'],
    libraries: [],
    seeds: [
      '{"a": [1, "\\u0041", null, true]}',
      '{"__proto__": 1}',
      '{"constructor": {"prototype": 1}}',
      '["\\u0000", "\\ud800"]',
      `${'['.repeat(201)}`,
      Buffer.from([0xff]),
    ],
    words: [
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\u',
      '__proto__',
      '"constructor"',
      '"prototype"',
      '\\"',
      '\\',
      '0',
      'null',
    ],
    run: (input) => refusing(HttpError, () => void parseJson(input)),
  },
  {
    name: 'proxy-path',
    files: ['/api-proxy/domain/door-path.ts', '/api-proxy/domain/request-kind.ts'],
    libraries: [],
    seeds: [
      'GET /targets/a/api/api/v1/namespaces/n/pods/p/exec?command=x',
      'POST /targets/a/api/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      'GET /targets/a/api',
      'GET /targets/a/api?x',
      'GET /targets/a/api/api/v1/watch/namespaces/n/pods/',
      'GET /targets/a/api/api/v1/proxy/nodes/n',
      'GET /targets/a/api/a%2fb/../%zz',
      'GET /targets/a/api/apis/apps/v1/deployments',
      'UPGRADE /targets/a/api/api/v1/namespaces/n/proxy/x',
      'GET /other',
    ],
    words: [
      '/targets/',
      '/api',
      '/apis',
      '/v1',
      '/namespaces/',
      '/pods/',
      '/exec',
      '/proxy',
      '/attach',
      '/watch',
      '..',
      '/./',
      '%2f',
      '%2e%2e',
      '%00',
      '//',
      '?',
      '#',
      '\\',
      '%',
    ],
    run: (input) => {
      const [method = '', url = ''] = input.toString().split(' ', 2);
      const door = parseDoorPath(url);
      if (door === undefined) return;
      assert.ok(door.path.startsWith('/') && !door.target.includes('/'));
      const kind = kindOf({ method, path: door.path, isUpgrade: method === 'UPGRADE' });
      // A path that an API server might interpret differently is never classified as a read.
      const plain = door.path.split('?', 1)[0] ?? '';
      if (/(?:^|\/)\.{1,2}(?:\/|$)|\/\/|%2f|%5c|%00|\\/i.test(plain)) assert.equal(kind, 'write');
    },
  },
];
