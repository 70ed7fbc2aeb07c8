import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { blocksOf, functionsNamedIn, spansOf, tableUnder, textOf } from '#testing/documents';
import { findFiles, ROOT } from '../../scripts/repository.ts';

const PAGE = 'ARCHITECTURE.md';
const ROOMS = ['README.md', 'adapters', 'domain', 'index.ts'];
const MORE_ROOMS = ['application', 'testing'];
const NOT_OURS = ['dist', 'node_modules'];

describe('ARCHITECTURE.md', () => {
  for (const [heading, folder] of [
    ['## Processes', 'apps'],
    ['### Contexts', 'contexts'],
    ['### protocol', 'protocol'],
    ['### runtime', 'runtime'],
  ] as const) {
    it(`lists the folders of ${folder}/`, () => {
      assert.deepEqual(linkedIn(heading).toSorted(), foldersOf(folder));
    });
  }

  it('lists the modules of kit/, each with its rooms that have a README', async () => {
    assert.deepEqual(linkedIn('### kit').toSorted(), (await findFiles('kit/**/README.md')).map(dirname));
    const modules = foldersOf('kit');
    assert.deepEqual(
      modules.filter((folder) => !existsSync(join(ROOT, folder, 'README.md'))),
      [],
    );
  });

  it('calls what it links to by its folder', () => {
    const wrong = ['## Processes', '### Contexts', '### kit', '### protocol', '### runtime'].flatMap((heading) =>
      linksIn(heading).filter(({ name, folder }) => folder.split('/').slice(1).join('/') !== name),
    );
    assert.deepEqual(wrong, []);
  });

  it('names functions that are in their files', () => {
    const named = functionsNamedIn(PAGE);
    assert.ok(named.length > 20, 'the functions are found');
    const isThere = ({ file, name }: (typeof named)[number]): boolean =>
      existsSync(join(ROOT, file)) && new RegExp(`(?<![\\w#])${name}(?!\\w)`).test(textOf(file));
    assert.deepEqual(
      named.filter((each) => !isThere(each)),
      [],
    );
  });

  it('lists the rules about imports', () => {
    const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
      readonly forbidden: readonly { readonly name: string }[];
    };
    const listed = tableUnder(PAGE, '## Rooms and arrows').flatMap(([rules = '']) => spansOf(PAGE, rules));
    assert.deepEqual(listed.map(({ text }) => text).toSorted(), forbidden.map(({ name }) => name).toSorted());
  });
});

it('every context has the same rooms', () => {
  const wrong = foldersOf('contexts').flatMap((context) => [
    ...ROOMS.filter((room) => !existsSync(join(ROOT, context, room))).map((room) => `${context} has no ${room}`),
    ...foldersOf(context).filter((folder) => ![...ROOMS, ...MORE_ROOMS].includes(basename(folder))),
  ]);
  assert.deepEqual(wrong, []);
});

describe('the tree in docs/map.md', () => {
  const [tree] = blocksOf('docs/map.md').filter(({ info }) => info === 'tree');
  const lines = tree?.text.trimEnd().split('\n') ?? [];

  it('lists the folders at the top', () => {
    const listed = lines.flatMap((line) => /^([\w-]+)\//.exec(line)?.[1] ?? []);
    assert.deepEqual(listed.toSorted(), foldersOf('.'));
  });

  it('lists the folders that it shows below them', () => {
    const below = new Map<string, string[]>();
    let top = '';
    for (const line of lines) {
      top = /^([\w-]+)\//.exec(line)?.[1] ?? top;
      const names = /^ {2}(?! )(.+)$/.exec(line)?.[1]?.split(/\s+/) ?? [];
      if (names.length > 0) below.set(top, [...(below.get(top) ?? []), ...names]);
    }
    assert.ok(below.size >= 3, 'the names are found');
    for (const [folder, names] of below) {
      assert.deepEqual(
        names.map((name) => `${folder}/${name}`),
        foldersOf(folder),
      );
    }
  });
});

interface Link {
  readonly name: string;
  readonly folder: string;
}

function linkedIn(heading: string): string[] {
  return linksIn(heading).map(({ folder }) => folder);
}

/** Links in the first column of the table. */
function linksIn(heading: string): Link[] {
  return tableUnder(PAGE, heading).map(([cell = '']) => {
    const [, name = cell, folder = ''] = /^\[([^\]]+)\]\((.+)\/README\.md\)$/.exec(cell) ?? [];
    return { name, folder };
  });
}

function foldersOf(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  const ours = names.filter((name) => !NOT_OURS.includes(name)).toSorted();
  return folder === '.' ? ours : ours.map((name) => `${folder}/${name}`);
}
