import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { countByModule, countByRoom, enteredIn, union, without } from './entered.ts';

const TEXT = `/** Adds. */
function outer(numbers) {
  // The sum.
  const inner = (number) => {
    return number + 1;
  };

  return numbers.map(inner);
}

function other() {
  return 1;
}
`;

/** The coverage of a file in which these functions were called so often. */
function coverage(root: string, file: string, calls: Readonly<Record<string, number>>): Profiler.ScriptCoverage {
  const ends: Readonly<Record<string, readonly [number, number]>> = {
    '': [0, TEXT.length],
    outer: [TEXT.indexOf('function outer'), TEXT.indexOf('\n\nfunction other')],
    inner: [TEXT.indexOf('(number)'), TEXT.indexOf(';\n\n  return numbers')],
    other: [TEXT.indexOf('function other'), TEXT.length - 1],
  };
  const functions = Object.entries(calls).map(([functionName, count]) => {
    const [startOffset = 0, endOffset = 0] = ends[functionName] ?? [];
    return { functionName, isBlockCoverage: false, ranges: [{ startOffset, endOffset, count }] };
  });
  return { scriptId: '1', url: pathToFileURL(join(root, file)).href, functions };
}

describe('the functions that were entered', () => {
  let root = '';
  const FILES = ['contexts/x/a.ts', 'kit/y/b.ts', 'protocol/proto/gen/c.ts', 'testing/d.ts'];
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'fleetshift-entered-'));
    for (const file of FILES) {
      mkdirSync(join(root, file, '..'), { recursive: true });
      writeFileSync(join(root, file), TEXT);
    }
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const CALLS = { '': 1, outer: 2, inner: 0, other: 1 };

  it('are those with calls, without the body of the module; lines of functions inside them are not theirs', () => {
    const found = enteredIn([coverage(root, 'contexts/x/a.ts', CALLS)], root);
    assert.deepEqual(
      found.map(({ file, name, lines }) => ({ file, name, lines })),
      [
        { file: 'contexts/x/a.ts', name: 'outer', lines: [2, 4, 8, 9] },
        { file: 'contexts/x/a.ts', name: 'other', lines: [11, 12, 13] },
      ],
    );
  });

  it('are of the product: neither of Node, nor of tests, nor of packages', () => {
    const others = ['testing/d.ts', 'node_modules/contexts/x.ts'].map((file) => coverage(root, file, CALLS));
    assert.deepEqual(enteredIn([...others, { ...coverage(root, 'kit/y/b.ts', CALLS), url: 'node:fs' }], root), []);
  });

  it('count once for all processes, kit and generated code apart', () => {
    const one = FILES.slice(0, 3).map((file) => coverage(root, file, CALLS));
    const both = union([enteredIn(one, root), enteredIn(one, root)]);
    assert.deepEqual(countByRoom(both), {
      path: { functions: 2, files: 1, lines: 7 },
      apart: { functions: 4, files: 2, lines: 14 },
    });
    assert.deepEqual([...countByModule(both).keys()], ['contexts/x', 'kit/y', 'protocol/proto']);
  });

  it('leave out those that run while nothing is asked', () => {
    const all = enteredIn([coverage(root, 'contexts/x/a.ts', { outer: 1, inner: 1, other: 1 })], root);
    const idle = enteredIn([coverage(root, 'contexts/x/a.ts', { inner: 7 })], root);
    assert.deepEqual(
      without(all, idle).map(({ name }) => name),
      ['outer', 'other'],
    );
  });
});
