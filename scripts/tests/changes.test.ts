import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reachedTests } from './changes.ts';
import { ImportGraph } from './import-graph.ts';
import { testFile } from './needs.ts';
import type { Suite } from './select.ts';

const sources = new Map([
  ['kit/a/a.ts', ''],
  ['kit/a/a.test.ts', "import './a.ts';\n"],
  ['kit/b/b.ts', "import '../a/a.ts';\n"],
  ['kit/b/b.test.ts', "import './b.ts';\n"],
  ['kit/c/page.test.ts', "const page = 'docs/guide/cli.md';\n"],
]);
const graph = ImportGraph.of(sources);
const tests = [...sources.keys()].filter((file) => file.endsWith('.test.ts'));
const suite: Suite = { sources, graph, files: tests.map((file) => testFile(file, sources, graph)) };

describe('the tests that a change reaches', () => {
  for (const { why, changed, want } of [
    { why: 'nothing changed', changed: [], want: [] },
    { why: 'by imports, also of others', changed: ['kit/a/a.ts'], want: ['kit/a/a.test.ts', 'kit/b/b.test.ts'] },
    { why: 'a test itself', changed: ['kit/a/a.test.ts'], want: ['kit/a/a.test.ts'] },
    { why: 'a document, by its name', changed: ['docs/guide/cli.md'], want: ['kit/c/page.test.ts'] },
    { why: 'all, when packages change', changed: ['package.json'], want: tests },
  ]) {
    it(why, () =>
      assert.deepEqual(
        reachedTests(suite, changed).map(({ file }) => file),
        want,
      ),
    );
  }
});
