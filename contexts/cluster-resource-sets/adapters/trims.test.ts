import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { normaliseData } from '../domain/normalise-data.ts';
import { SECRET_TYPE } from '../domain/resource-set.ts';
import type { ResourceObject } from './kinds.ts';
import { hashOf, resourceTrim } from './trims.ts';

const UPSTREAM = 'metadata:\n name: resource-configmap\n namespace: default\nkind: ConfigMap\napiVersion: v1';

describe('the hash of a resource', () => {
  const cases: readonly { why: string; data: Record<string, string>; want: string }[] = [
    {
      why: 'of values one after the other',
      data: { a: 'foo\n', b: 'bar' },
      want: '807eff6267f3f926a21d234f7b0cf867a86f47e07a532f15e8cc39ed110ca776',
    },
    {
      why: 'wherever one ends and the next begins',
      data: { a: 'foo', b: '\nbar' },
      want: '807eff6267f3f926a21d234f7b0cf867a86f47e07a532f15e8cc39ed110ca776',
    },
    {
      why: "that Cluster API's own tests have",
      data: { cm: UPSTREAM },
      want: 'e385c6897ab8e3ff1be042d3797f4b7c2e4f39482d6c17c3a39b22efa04a682d',
    },
    {
      why: 'by keys in the order of their bytes',
      data: { b: 'bar', a: 'foo\n' },
      want: '807eff6267f3f926a21d234f7b0cf867a86f47e07a532f15e8cc39ed110ca776',
    },
    {
      why: 'capitals come first',
      data: { a: '\nbar', B: 'foo' },
      want: '807eff6267f3f926a21d234f7b0cf867a86f47e07a532f15e8cc39ed110ca776',
    },
  ];
  for (const { why, data, want } of cases) {
    it(why, () => assert.equal(hashOf(normaliseData('ConfigMap', data)), `sha256:${want}`));
  }

  it('is that of the bytes of a Secret', () => {
    const text = fc.dictionary(fc.stringMatching(/^[-._a-zA-Z0-9]{1,5}$/), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(text, (data) => {
        const secret = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(utf8(value))]));
        assert.equal(hashOf(normaliseData('Secret', secret)), hashOf(normaliseData('ConfigMap', data)));
      }),
    );
  });
});

describe('what is kept of a ConfigMap or Secret', () => {
  const large = { a: 'x'.repeat(10_000) };
  const cases = [
    { why: 'a small one whole', kind: 'ConfigMap', data: { a: 'x' }, isNamed: false, want: ['hash', 'data'] },
    { why: 'a large one without what it says', kind: 'ConfigMap', data: large, isNamed: false, want: ['hash'] },
    {
      why: 'a large one that a set names whole',
      kind: 'ConfigMap',
      data: large,
      isNamed: true,
      want: ['hash', 'data'],
    },
    { why: 'an empty one without a hash', kind: 'ConfigMap', data: undefined, isNamed: true, want: [] },
    {
      why: 'a Secret of our type',
      kind: 'Secret',
      type: SECRET_TYPE,
      data: { a: 'eA==' },
      isNamed: true,
      want: ['hash', 'data'],
    },
    {
      why: "nothing of anybody else's Secret",
      kind: 'Secret',
      type: 'Opaque',
      data: { a: 'eA==' },
      isNamed: true,
      want: [],
    },
  ];
  for (const { why, kind, type, data, isNamed, want } of cases) {
    it(why, () => {
      const metadata = { name: 'x', namespace: 'n', uid: 'u', resourceVersion: '1', annotations: { a: 'b' } };
      const object: ResourceObject = { apiVersion: 'v1', kind, metadata, ...(type && { type }), ...(data && { data }) };
      const kept = resourceTrim(kind, () => isNamed)(object);
      assert.deepEqual(
        Object.keys(kept).filter((key) => key === 'hash' || key === 'data'),
        want,
      );
      assert.deepEqual(Object.keys(kept.metadata), ['name', 'namespace', 'uid', 'resourceVersion']);
    });
  }
});

function utf8(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
