import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { ROOT } from '../repository.ts';
import type { TestFile } from './needs.ts';
import type { Suite } from './select.ts';

/** Files that differ from the merge base with the origin's branch, committed or not, including new ones. */
export function changedFiles(): string[] {
  const base = mergeBase();
  const differing = git('diff', '--name-only', '--diff-filter=d', '-z', base);
  const fresh = git('ls-files', '--others', '--exclude-standard', '-z');
  return [...new Set(`${differing}${fresh}`.split('\0').filter(Boolean))].toSorted();
}

/** Files that every test depends on. */
const EVERYTHING = ['package.json', 'package-lock.json', 'tsconfig.json'];

/** The test files that a change reaches: by imports, and by name for documents, charts and other texts. */
export function reachedTests({ files, graph, sources }: Suite, changed: readonly string[]): TestFile[] {
  if (changed.some((path) => EVERYTHING.includes(path))) return [...files];
  const reached = graph.reaching(changed.filter((path) => sources.has(path)));
  const texts = changed.filter((path) => !sources.has(path)).map((path) => basename(path));
  return files.filter(
    ({ file }) => reached.has(file) || texts.some((name) => sources.get(file)?.includes(name) ?? false),
  );
}

function mergeBase(): string {
  for (const other of ['@{upstream}', 'origin/main', 'main']) {
    try {
      return git('merge-base', 'HEAD', other).trim();
    } catch {
      // This branch does not exist here; the next one may.
    }
  }
  return 'HEAD';
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
