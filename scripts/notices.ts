import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './repository.ts';

/**
 * Third-party licences require this: the own notice of each bundled package, from a file in its folder or the head of the
 * bundled files.
 */
export async function noticesOf(packages: ReadonlyMap<string, readonly string[]>): Promise<string> {
  const notices = await Promise.all(
    [...packages].map(async ([folder, files]) => {
      const found = [...(await licencesIn(folder)), ...(await headsOf(files))];
      const texts = found.length > 0 ? found : await manifestNotice(folder);
      const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
      if (texts.length === 0) throw new Error(`bundle ${name}: the package has no licence notice`);
      return [`${name}:\n`, ...texts].join('\n');
    }),
  );
  return ['This package contains the work of others.\n', ...notices].join('\n');
}

async function licencesIn(folder: string): Promise<string[]> {
  const files = (await readdir(join(ROOT, folder))).filter((name) => /^(licen[cs]e|notice)\b/i.test(name));
  return await Promise.all(files.map((name) => readFile(join(ROOT, folder, name), 'utf8')));
}

/** For a package without a licence text: the name of the licence, and the author. */
async function manifestNotice(folder: string): Promise<string[]> {
  const { license, author, repository } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as {
    readonly license?: string;
    readonly author?: string | { readonly name: string };
    readonly repository?: string | { readonly url: string };
  };
  if (license === undefined) return [];
  const by = typeof author === 'object' ? author.name : author;
  const from = typeof repository === 'object' ? repository.url : repository;
  return [`License: ${license}${by === undefined ? '' : `\nAuthor: ${by}`}${from === undefined ? '' : `\n${from}`}\n`];
}

async function headsOf(files: readonly string[]): Promise<Set<string>> {
  const texts = await Promise.all(files.map((path) => readFile(join(ROOT, path), 'utf8')));
  const heads = texts.map((text) => /^(?:\/\/.*\n)*/.exec(text)?.[0] ?? '').filter((head) => /copyright/i.test(head));
  return new Set(heads.map((head) => head.replaceAll(/^\/\/ ?/gm, '')));
}
