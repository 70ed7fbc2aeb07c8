import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Files below a folder, each with what changes when it is written. */
export type FolderState = ReadonlyMap<string, string>;

/**
 * What a run of tests may change in a checkout: installed packages, since those of the Temporal engine come with its first
 * test, and the data of a demo that runs beside. Git writes for itself.
 */
const MAY_CHANGE: ReadonlySet<string> = new Set(['.git', 'node_modules', '.fleetshift']);

/** Tracked, untracked and ignored files alike. */
export function folderState(root: string): FolderState {
  const state = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const name of readdirSync(join(root, folder))) {
      const path = join(folder, name);
      // An editor may take away its own files at any time.
      const facts = MAY_CHANGE.has(name) ? undefined : lstatSync(join(root, path), { throwIfNoEntry: false });
      if (facts === undefined) continue;
      const { mode, size, mtimeMs, ino } = facts;
      state.set(path, facts.isDirectory() ? 'folder' : `${mode} ${size} ${mtimeMs} ${ino}`);
      if (facts.isDirectory()) visit(path);
    }
  };
  visit('');
  return state;
}

/** One line for each difference, sorted; none when nothing was touched. */
export function changesBetween(before: FolderState, after: FolderState): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths.flatMap((path) => {
    if (!after.has(path)) return [`removed ${path}`];
    if (!before.has(path)) return [`made ${path}`];
    return before.get(path) === after.get(path) ? [] : [`changed ${path}`];
  });
}
