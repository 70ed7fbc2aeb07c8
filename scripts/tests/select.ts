import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFilesIn, ROOT } from '../repository.ts';
import { ImportGraph } from './import-graph.ts';
import { type TestFile, testFile } from './needs.ts';

export interface Suite {
  readonly files: readonly TestFile[];
  readonly graph: ImportGraph;
  readonly sources: ReadonlyMap<string, string>;
}

/** Every test file of a checkout, with its needs. */
export async function readSuite(root = ROOT): Promise<Suite> {
  const paths = await findFilesIn(root, ['**/*.ts']);
  const sources = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const graph = ImportGraph.of(sources);
  const tests = paths.filter((path) => path.endsWith('.test.ts'));
  return { files: tests.map((file) => testFile(file, sources, graph)), graph, sources };
}
