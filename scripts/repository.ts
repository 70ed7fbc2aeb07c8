import { glob } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** The folder with package.json. Every script works in it, whatever folder it was called from. */
export const ROOT = join(import.meta.dirname, '..');

/** Built packages are in `dist` and `dist-*`. */
const NOT_OURS = /^(?:node_modules|dist(?:-.*)?|\.git|\.fleetshift)$/;

/** Sorted paths below the root that match one of the patterns and are neither installed nor built. */
export async function findFiles(...patterns: readonly string[]): Promise<string[]> {
  return await findFilesIn(ROOT, patterns);
}

/** The same in another checkout. */
export async function findFilesIn(root: string, patterns: readonly string[]): Promise<string[]> {
  const found = glob(patterns, { cwd: root, exclude: (path) => NOT_OURS.test(basename(path)) });
  return (await Array.fromAsync(found)).toSorted();
}
