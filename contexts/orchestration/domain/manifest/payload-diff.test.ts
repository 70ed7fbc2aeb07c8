import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#kit/std';
import { contentHash, REDACTED } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { payloadOf } from './payload.ts';
import { type DocumentChange, diffPayloads, diffSpecs } from './payload-diff.ts';

const fingerprint = (secret: string): string => contentHash({ key: 'k', secret });
const payload = (documents: readonly Document[]) => payloadOf(documents, fingerprint);
const web = (spec: Json, version = 'v1'): Document => ({
  apiVersion: `apps/${version}`,
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec,
});
const changed = (fields: DocumentChange['fields']): DocumentChange[] => [
  { document: 'apps/Deployment/shop/web', kind: 'changed', fields },
];

for (const { why, before, after, want } of [
  {
    why: 'a field that is new, gone or another, in the order of names',
    before: [web({ a: 1, b: { c: 1 } })],
    after: [web({ b: { c: 2 }, 'x/y': null })],
    want: changed([
      { path: '/spec/a', kind: 'removed', before: 1 },
      { path: '/spec/b/c', kind: 'changed', before: 1, after: 2 },
      { path: '/spec/x~1y', kind: 'added', after: null },
    ]),
  },
  {
    why: 'an item put into a list is one change, not one of all behind it',
    before: [web([{ name: 'a' }, { name: 'c' }])],
    after: [web([{ name: 'a' }, { name: 'b' }, { name: 'c' }])],
    want: changed([{ path: '/spec/1', kind: 'added', after: { name: 'b' } }]),
  },
  {
    why: 'a repeated item taken out of a list',
    before: [web(['a', 'a', 'a'])],
    after: [web(['a', 'a'])],
    want: changed([{ path: '/spec/2', kind: 'removed', before: 'a' }]),
  },
  {
    why: 'another type is another value',
    before: [web({ a: 1 })],
    after: [web({ a: ['1'] })],
    want: changed([{ path: '/spec/a', kind: 'changed', before: 1, after: ['1'] }]),
  },
  {
    why: 'a newer version of the API is the same object',
    before: [web({}, 'v1beta1')],
    after: [web({})],
    want: changed([{ path: '/apiVersion', kind: 'changed', before: 'apps/v1beta1', after: 'apps/v1' }]),
  },
  {
    why: 'objects are found by name, wherever they stand',
    before: [web({}), { kind: 'A', metadata: { name: 'a' } }],
    after: [{ kind: 'A', metadata: { name: 'a' } }, web({})],
    want: [],
  },
  {
    why: 'what has no name is found by its place',
    before: [{ x: 1 }, web({}), { y: 1 }],
    after: [{ x: 1 }, { y: 2 }],
    want: [
      {
        document: 'apps/Deployment/shop/web',
        kind: 'removed',
        fields: [{ path: '', kind: 'removed', before: web({}) }],
      },
      { document: '#2', kind: 'changed', fields: [{ path: '/y', kind: 'changed', before: 1, after: 2 }] },
    ],
  },
  {
    why: 'a secret that stays is no change, one that changes is, and neither is shown',
    before: [web({ a: { $secret: 'one' }, b: { $secret: 'one' } })],
    after: [web({ a: { $secret: 'one' }, b: { $secret: 'two' } })],
    want: changed([{ path: '/spec/b', kind: 'changed', before: REDACTED, after: REDACTED }]),
  },
  {
    why: 'what is no longer marked, or newly so, is not shown beside its mask',
    before: [web({ a: { $secret: 'one' }, b: 'two' })],
    after: [web({ a: 'one', b: { $secret: 'two' } })],
    want: changed([
      { path: '/spec/a', kind: 'changed', before: REDACTED, after: REDACTED },
      { path: '/spec/b', kind: 'changed', before: REDACTED, after: REDACTED },
    ]),
  },
] satisfies { why: string; before: Document[]; after: Document[]; want: DocumentChange[] }[]) {
  test(why, () => assert.deepEqual(diffPayloads(payload(before), payload(after)), want));
}

const pod = (spec: Json): Document => ({ ...web({ template: { spec } }) });
const specOf = (...documents: Document[]) => ({ manifest: { type: 'inline', documents } });
const redis = (name: string): Document => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: {} });

test('an object put before others in a spec is one object, named, and nothing else', () => {
  assert.deepEqual(diffSpecs(specOf(redis('a'), redis('b')), specOf(redis('new'), redis('b'), redis('a'))), [
    {
      path: '/manifest/documents/0',
      named: '/manifest/documents[Service/new]',
      document: 'Service/new',
      kind: 'added',
      after: redis('new'),
    },
  ]);
});

test('an item with a merge key is found by it, and its path says so', () => {
  const old = pod({ containers: [{ name: 'web', image: '1' }, { name: 'proxy' }], args: ['a', 'b'] });
  const fresh = pod({ containers: [{ name: 'proxy' }, { name: 'web', image: '2' }], args: ['b', 'a'] });
  assert.deepEqual(diffPayloads(payload([old]), payload([fresh])), [
    {
      document: 'apps/Deployment/shop/web',
      kind: 'changed',
      fields: [
        { path: '/spec/template/spec/args/0', kind: 'changed', before: 'a', after: 'b' },
        { path: '/spec/template/spec/args/1', kind: 'changed', before: 'b', after: 'a' },
        {
          path: '/spec/template/spec/containers/1/image',
          named: '/spec/template/spec/containers[web]/image',
          kind: 'changed',
          before: '1',
          after: '2',
        },
      ],
    },
  ]);
});

test('a secret in an item that moved stays masked', () => {
  const secret = (value: string) => ({ name: 'PASSWORD', value: { $secret: value } });
  const old = payload([pod({ containers: [{ name: 'web', env: [secret('one'), { name: 'A', value: 'x' }] }] })]);
  const fresh = payload([pod({ containers: [{ name: 'web', env: [{ name: 'A', value: 'x' }, secret('two')] }] })]);
  const [change] = diffPayloads(old, fresh);
  assert.deepEqual(change?.fields, [
    {
      path: '/spec/template/spec/containers/0/env/1/value',
      named: '/spec/template/spec/containers[web]/env[PASSWORD]/value',
      kind: 'changed',
      before: REDACTED,
      after: REDACTED,
    },
  ]);
});

test('a list with a key that repeats is compared by position', () => {
  const items = (image: string) => [{ name: 'a' }, { name: 'a', image }];
  const [change] = diffPayloads(payload([pod({ containers: items('1') })]), payload([pod({ containers: items('2') })]));
  assert.deepEqual(
    change?.fields.map(({ path }) => path),
    ['/spec/template/spec/containers/1/image'],
  );
});

test('a payload that is there for the first time is added, one that goes is removed', () => {
  const secret: Document = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'QQ==' } };
  const masked = { ...secret, data: { a: REDACTED } };
  const added = diffPayloads(undefined, payload([secret]));
  assert.deepEqual(added, [
    { document: 'Secret/s', kind: 'added', fields: [{ path: '', kind: 'added', after: masked }] },
  ]);
  const removed = diffPayloads(payload([secret]), undefined);
  assert.deepEqual(removed, [
    { document: 'Secret/s', kind: 'removed', fields: [{ path: '', kind: 'removed', before: masked }] },
  ]);
});
