import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ImportGraph } from './import-graph.ts';
import { testFile } from './needs.ts';

const SOURCES = new Map([
  ['testing/databases.ts', "import { startPostgres } from './postgres.ts';\n"],
  ['testing/postgres.ts', ''],
  ['testing/clusters.ts', "const sizes = ['apiserver', 'controllers', 'nodes'];\n"],
  ['testing/helm.ts', ''],
  ['testing/temporal/test-namespace.ts', ''],
  ['kit/a/kinds.ts', "export const KINDS = ['nodes'];\n"],
  ['kit/a/testing/with-controllers.ts', "import '#testing/clusters';\nexport const size = 'controllers';\n"],
  ['kit/durable/temporal/host/payloads.ts', ''],
  ['kit/a/payloads.test.ts', "import '../durable/temporal/host/payloads.ts';\n"],
  ['kit/a/kill.soak.ts', ''],
  ['kit/a/kill.e2e.test.ts', "import { soak } from './kill.soak.ts';\n"],
  ['kit/a/pure.test.ts', "import './kinds.ts';\n"],
  ['kit/a/env.test.ts', '// own process: it sets the time zone.\n'],
  ['kit/a/chart.test.ts', "import { runHelm } from '#testing/helm';\n"],
  ['kit/a/program.e2e.test.ts', ''],
  ['kit/a/store.test.ts', "import { eachDatabase } from '#testing/databases';\n"],
  ['kit/a/apply.test.ts', "import './testing/with-controllers.ts';\nimport './kinds.ts';\n"],
  ['kit/a/engine.test.ts', "import '../../testing/temporal/test-namespace.ts';\nimport '#testing/databases';\n"],
]);
const graph = ImportGraph.of(SOURCES);

describe('what a test file needs', () => {
  for (const { why, file, want } of [
    { why: 'nothing: it shares a process', file: 'pure.test.ts', want: { kind: 'unit', needs: [], ownProcess: false } },
    { why: 'a process, and says why', file: 'env.test.ts', want: { kind: 'unit', needs: [], ownProcess: true } },
    {
      why: 'programs of ours, as an e2e test',
      file: 'program.e2e.test.ts',
      want: { kind: 'process', needs: [], ownProcess: true },
    },
    {
      why: 'a package that is installed apart',
      file: 'payloads.test.ts',
      want: { kind: 'unit', needs: ['temporalSdk'], ownProcess: false },
    },
    {
      why: 'time, since it runs a share of a soak',
      file: 'kill.e2e.test.ts',
      want: { kind: 'process', needs: [], ownProcess: true, isLong: true },
    },
    {
      why: 'a database, and shares a process',
      file: 'store.test.ts',
      want: { kind: 'postgres', needs: ['postgres'], ownProcess: false },
    },
    {
      why: 'a program that is built',
      file: 'chart.test.ts',
      want: { kind: 'clusters', needs: ['helm'], ownProcess: true },
    },
    {
      why: 'a cluster with controllers, as its test code says; a word of production code asks for none',
      file: 'apply.test.ts',
      want: { kind: 'clusters', needs: ['apiserver', 'controllers'], ownProcess: true },
    },
    {
      why: 'several servers: the dearest names the kind',
      file: 'engine.test.ts',
      want: { kind: 'temporal', needs: ['postgres', 'temporal'], ownProcess: true },
    },
  ]) {
    it(why, () => {
      assert.deepEqual(testFile(`kit/a/${file}`, SOURCES, graph), { file: `kit/a/${file}`, isLong: false, ...want });
    });
  }
});
