import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedLines, drawMutants, type FileMutants } from './draw-mutants.ts';
import { findMutants } from './find-mutants.ts';

function fileOf(file: string, source: string): FileMutants {
  return { file, folder: file.slice(0, file.indexOf('/')), source, mutants: findMutants(source) };
}

const comparing = (...names: readonly string[]): string => names.map((name) => `f(${name} < 0);\n`).join('');

describe('drawn mutants', () => {
  it('are as many of each folder, however much code it has', () => {
    const files = [fileOf('a/large.ts', comparing('x', 'y', 'z', 'u', 'v')), fileOf('b/small.ts', comparing('w'))];
    const drawn = drawMutants(files, 4, 1);
    assert.deepEqual(
      Object.entries(Object.groupBy(drawn, ({ folder }) => folder)).map(([, each]) => each?.length),
      [2, 2],
    );
  });

  it('are as many of each kind', () => {
    const kinds = drawMutants([fileOf('a/large.ts', comparing('x', 'y', 'z'))], 3, 1).map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), ['boundary', 'constant', 'statement']);
  });

  it('are the same lines after a move to another file and place', () => {
    const before = [fileOf('a/one.ts', comparing('x', 'y', 'z', 'w'))];
    const after = [
      fileOf('a/two.ts', `// A comment.\n  ${comparing('w', 'z')}`),
      fileOf('a/three.ts', comparing('y', 'x')),
    ];
    const lines = (files: readonly FileMutants[]): string[] =>
      drawMutants(files, 4, 7).map((mutant) => {
        const source = files.find(({ file }) => file === mutant.file)?.source ?? '';
        return changedLines(source, mutant).after.join();
      });
    assert.deepEqual(lines(after), lines(before));
  });

  it('are others with another seed', () => {
    const files = [fileOf('a/one.ts', comparing('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'))];
    const places = (seed: number): number[] => drawMutants(files, 6, seed).map(({ start }) => start);
    assert.notDeepEqual(places(1), places(2));
  });
});

describe('the lines that a mutant changes', () => {
  it('are shown before and after, without their indentation', () => {
    const source = 'f();\n  g();\nh();\n';
    const mutant = findMutants(source).find(({ start }) => start === 7);
    assert.deepEqual(mutant && changedLines(source, mutant), { before: ['g();'], after: [';'] });
  });
});
