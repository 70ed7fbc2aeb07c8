import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { findFiles, ROOT } from '../../scripts/repository.ts';
import { type Arrow, arrowsOf, cyclesOf, moduleOf } from './module-graph.ts';

const IS_TEST = /\.(?:test|soak)\.ts$|(?:^|\/)testing\//;
/** The CLI starts every process: it loads their settings, and `run` on demand. */
const STARTS = { from: /^apps\/cli\/commands\//, to: /^apps\/[^/]+\/command\.ts$/ };
const MOST_FILES = 25;
/** Schemas of the API, one file for each resource. */
const FLAT = new Set(['protocol/api']);

/** Where a rule does not hold yet: entries may go and none may come. */
const FULL_FOLDERS: Readonly<Record<string, number>> = {
  'kit/http/server': 26,
  'kit/kube/client': 29,
};
const CRUMBS = 49;

describe('modules', () => {
  let sources: Map<string, string>;
  let arrows: readonly Arrow[];

  before(async () => {
    const files = (await findFiles('{apps,contexts,kit,protocol,runtime}/**/*.ts')).filter(
      (file) => !IS_TEST.test(file) && !file.includes('/gen/') && !file.includes('node_modules/'),
    );
    sources = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
    arrows = arrowsOf(sources);
  });

  it('do not need each other in a circle', () => {
    assert.deepEqual(cyclesOf(arrows), []);
  });

  it('that are processes do not import other processes', () => {
    const found = arrows
      .filter(({ from, to }) => from.startsWith('apps/') && to.startsWith('apps/') && moduleOf(from) !== moduleOf(to))
      .filter(({ from, to }) => !(STARTS.from.test(from) && STARTS.to.test(to)))
      .map(({ from, to }) => `${moduleOf(from)} ${moduleOf(to)}`);
    assert.deepEqual([...new Set(found)], []);
  });

  it('have folders that can be looked over', () => {
    const folders = Map.groupBy(sources.keys(), (file) => dirname(file));
    const full = [...folders].filter(
      ([folder, files]) => files.length > (FULL_FOLDERS[folder] ?? MOST_FILES) && !FLAT.has(folder),
    );
    assert.deepEqual(
      full.map(([folder, files]) => `${folder}: ${files.length}`),
      [],
    );
  });

  it('have few small files that only one neighbour imports', () => {
    const importers = Map.groupBy(arrows, ({ to }) => to);
    const crumbs = [...sources].filter(([file, text]) => {
      const all = new Set(importers.get(file)?.map(({ from }) => from));
      return all.size === 1 && isNeighbour([...all][0] ?? '', file) && text.split('\n').length < 30;
    });
    assert.ok(
      crumbs.length <= CRUMBS,
      `${crumbs.length} files: ${crumbs
        .slice(0, 10)
        .map(([file]) => file)
        .join(', ')}`,
    );
  });

  it('would be found in a circle', () => {
    const planted = new Map([
      ['kit/a/index.ts', "import type { B } from '#kit/b';"],
      ['kit/b/index.ts', "export { c } from '../c/index.ts';"],
      ['kit/c/index.ts', "const a = await import('#kit/a');"],
      ['kit/d/index.ts', "import '#kit/a';"],
    ]);
    assert.deepEqual(cyclesOf(arrowsOf(planted)), [['kit/a', 'kit/b', 'kit/c']]);
  });
});

/** A facade offers a file to others, and is no neighbour that could hold it. */
function isNeighbour(importer: string, file: string): boolean {
  return dirname(importer) === dirname(file) && basename(importer) !== 'index.ts';
}
