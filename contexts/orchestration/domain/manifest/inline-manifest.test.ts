import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document } from '#protocol/delivery';
import { type InlineSpec, inlineManifest } from './inline-manifest.ts';
import { type ManifestSpec, type ManifestStrategy, manifestRegistry, parseManifest } from './manifest-strategy.ts';

const registry = manifestRegistry([inlineManifest]);
const map = (name: string): Document => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const parse = (spec: ManifestSpec) => parseManifest(spec, '/manifest', registry);
const pathsOf = (spec: ManifestSpec): string[] => {
  const parsed = parse(spec);
  return parsed.kind === 'faulty' ? parsed.faults.map(({ path }) => path) : [];
};

test('the documents are what every target gets, and no field of a target makes a difference', () => {
  const documents = [map('a')];
  assert.deepEqual(inlineManifest.generate({ type: 'inline', documents }), { kind: 'generated', documents });
  const parsed = parse({ type: 'inline', documents, targetTypes: ['kubernetes'] });
  assert.ok(parsed.kind === 'parsed');
  assert.deepEqual(parsed.value.reads, []);
  assert.deepEqual(parsed.value.fits, ['kubernetes']);
});

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;
for (const { why, spec, paths } of [
  { why: 'a type that nobody brings, never a default', spec: { type: 'helm' }, paths: ['/manifest/type'] },
  {
    why: 'two documents of one name; all faults at once',
    spec: { type: 'inline', documents: [map('a'), map('b'), map('a'), { a: Number.NaN }], targetTypes: [] },
    paths: ['/manifest/documents/3/a', '/manifest/documents/2', '/manifest/targetTypes'],
  },
  { why: 'what is no object', spec: { type: 'inline', documents: [['a']] }, paths: ['/manifest/documents/0'] },
  { why: 'what contains itself', spec: { type: 'inline', documents: [cyclic] }, paths: ['/manifest/documents/0/self'] },
  {
    why: 'a secret where everybody looks',
    spec: { type: 'inline', documents: [{ kind: { $secret: 'Secret' }, metadata: { name: { $secret: 'a' } } }] },
    paths: ['/manifest/documents/0/kind', '/manifest/documents/0/metadata/name'],
  },
  {
    why: 'a mark that is not alone, and a mask that was sent back',
    spec: { type: 'inline', documents: [{ a: [{ $secret: 'x', b: 1 }, { $secret: '[redacted]' }] }] },
    paths: ['/manifest/documents/0/a/0', '/manifest/documents/0/a/1'],
  },
  {
    why: 'a mask that was sent back in a Secret',
    spec: { type: 'inline', documents: [{ ...map('s'), kind: 'Secret', stringData: { 'a/b': '[redacted]' } }] },
    paths: ['/manifest/documents/0/stringData/a~1b'],
  },
  {
    why: 'a type of target twice',
    spec: { type: 'inline', documents: [], targetTypes: ['a', 'a'] },
    paths: ['/manifest/targetTypes/1'],
  },
] satisfies { why: string; spec: ManifestSpec; paths: string[] }[]) {
  test(`refused: ${why}`, () => assert.deepEqual(pathsOf(spec), paths));
}

test('two strategies of one type are a mistake of whoever puts them together', () => {
  const other: ManifestStrategy<InlineSpec, InlineSpec> = inlineManifest;
  assert.throws(() => manifestRegistry([inlineManifest, other]), TypeError);
});
