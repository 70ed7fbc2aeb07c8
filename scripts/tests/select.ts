import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles, ROOT } from '../repository.ts';
import { ImportGraph } from './import-graph.ts';
import { type TestFile, testFile } from './needs.ts';

export interface Suite {
  readonly files: readonly TestFile[];
  readonly graph: ImportGraph;
  readonly sources: ReadonlyMap<string, string>;
}

/** Every test file of the repository, with its needs. */
export async function readSuite(): Promise<Suite> {
  const paths = await findFiles('**/*.ts');
  const sources = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
  const graph = ImportGraph.of(sources);
  const tests = paths.filter((path) => path.endsWith('.test.ts'));
  return { files: tests.map((file) => testFile(file, sources, graph)), graph, sources };
}
