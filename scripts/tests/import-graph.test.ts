import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ImportGraph } from './import-graph.ts';

const graph = ImportGraph.of(
  new Map([
    ['kit/std/index.ts', "export { sleep } from './sleep.ts';\n"],
    ['kit/std/sleep.ts', ''],
    ['testing/clusters.ts', "import { a } from './clusters/host.ts';\n"],
    ['testing/clusters/host.ts', ''],
    ['apps/cli/main.ts', "import '#kit/std';\nconst later = () => import('./commands/get.ts');\n"],
    ['apps/cli/commands/get.ts', "import { join } from 'node:path';\n"],
    ['apps/cli/main.test.ts', "const main = new URL('./main.ts', import.meta.url);\n"],
    ['apps/one/command.ts', "import { run } from '#runtime/one/run';\n"],
    ['runtime/one/run.ts', ''],
    [
      'apps/cli/types.test.ts',
      "import type { Cluster } from '#testing/clusters';\nimport {\n  a,\n} from './main.ts';\n",
    ],
  ]),
);

describe('the import graph', () => {
  for (const { why, from, want } of [
    { why: 'follows re-exports', from: 'kit/std/index.ts', want: ['kit/std/index.ts', 'kit/std/sleep.ts'] },
    {
      why: 'follows subpath imports and imports on demand',
      from: 'apps/cli/main.ts',
      want: ['apps/cli/commands/get.ts', 'apps/cli/main.ts', 'kit/std/index.ts', 'kit/std/sleep.ts'],
    },
    {
      why: 'follows files of rooms without facades',
      from: 'apps/one/command.ts',
      want: ['apps/one/command.ts', 'runtime/one/run.ts'],
    },
    {
      why: 'follows programs that are started by their address',
      from: 'apps/cli/main.test.ts',
      want: [
        'apps/cli/commands/get.ts',
        'apps/cli/main.test.ts',
        'apps/cli/main.ts',
        'kit/std/index.ts',
        'kit/std/sleep.ts',
      ],
    },
    {
      why: 'leaves out types, which are erased, and reads imports of several lines',
      from: 'apps/cli/types.test.ts',
      want: [
        'apps/cli/commands/get.ts',
        'apps/cli/main.ts',
        'apps/cli/types.test.ts',
        'kit/std/index.ts',
        'kit/std/sleep.ts',
      ],
    },
  ]) {
    it(why, () => assert.deepEqual([...graph.reachedFrom(from)].toSorted(), want));
  }

  it('finds what a change reaches', () => {
    assert.deepEqual([...graph.reaching(['apps/cli/commands/get.ts'])].toSorted(), [
      'apps/cli/commands/get.ts',
      'apps/cli/main.test.ts',
      'apps/cli/main.ts',
      'apps/cli/types.test.ts',
    ]);
  });
});
