import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findMutants, type MutantKind, mutated } from './find-mutants.ts';

const all = (source: string, kind: MutantKind): string[] =>
  findMutants(source)
    .filter((mutant) => mutant.kind === kind)
    .map((mutant) => mutated(source, mutant));

describe('mutants of a source', () => {
  for (const { kind, source, want } of [
    { kind: 'boundary', source: 'const a = b < c;', want: ['const a = b <= c;'] },
    { kind: 'condition', source: 'const a = b ? 1 : 2;', want: ['const a = !(b) ? 1 : 2;'] },
    { kind: 'condition', source: 'if (a) b();', want: ['if (!(a)) b();'] },
    { kind: 'operator', source: 'const a = b /* + */ + c;', want: ['const a = b /* + */ - c;'] },
    { kind: 'operator', source: 'const a = (b) && (c);', want: ['const a = (b) || (c);'] },
    { kind: 'operator', source: 'const a = b ?? c;', want: ['const a = (b);'] },
    { kind: 'constant', source: 'const a = [1, true];', want: ['const a = [(1 + 1), true];', 'const a = [1, false];'] },
    {
      kind: 'statement',
      source: 'f(); a = 1; throw b;',
      want: ['; a = 1; throw b;', 'f(); ; throw b;', 'f(); a = 1; ;'],
    },
    {
      kind: 'early-return',
      source: 'class A { #b() { c(); d(); } }',
      want: ['class A { #b() { c(); return; d(); } }'],
    },
  ] as const) {
    it(`${kind} of ${source}`, () => assert.deepEqual(all(source, kind), want));
  }

  it('leaves types, imports and log lines alone', () => {
    const source = "import { a } from 'b';\ntype C = 1 | true;\ndeps.log.warn('c');\n";
    assert.deepEqual(findMutants(source), []);
  });

  it('counts bytes, so that a letter of two of them moves nothing', () => {
    assert.deepEqual(all("const a = 'é';\nconst b = c < d;", 'boundary'), ["const a = 'é';\nconst b = c <= d;"]);
  });
});
