import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentsOf, hashOf } from './contents.ts';

describe('hashOf', () => {
  const cases: readonly { why: string; kind: string; data: Readonly<Record<string, string>>; want: string }[] = [
    {
      why: "the ConfigMap of upstream's own suite",
      kind: 'ConfigMap',
      data: { cm: 'metadata:\n name: resource-configmap\n namespace: default\nkind: ConfigMap\napiVersion: v1' },
      want: 'sha256:e385c6897ab8e3ff1be042d3797f4b7c2e4f39482d6c17c3a39b22efa04a682d',
    },
    {
      why: 'values follow each other in the order of their keys, with nothing in between',
      kind: 'ConfigMap',
      data: { b: '\nbar', a: 'foo' },
      want: 'sha256:807eff6267f3f926a21d234f7b0cf867a86f47e07a532f15e8cc39ed110ca776',
    },
    {
      why: 'those of a Secret are what they stand for',
      kind: 'Secret',
      data: { a: 'Zm9vCg==', b: 'YmFy' },
      want: 'sha256:807eff6267f3f926a21d234f7b0cf867a86f47e07a532f15e8cc39ed110ca776',
    },
  ];
  for (const { why, kind, data, want } of cases) {
    it(why, () => {
      const object = { apiVersion: 'v1', kind, metadata: { name: 'x' }, data };
      assert.equal(hashOf(contentsOf(object)), want);
    });
  }
});
