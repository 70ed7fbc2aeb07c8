import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The files below a folder, each with a value that changes when the file is written. */
export type FolderState = ReadonlyMap<string, string>;

/**
 * The parts of a checkout that a test run may change: installed packages (the Temporal engine's are installed by its
 * first test), the data of a demo running alongside, and git's own files.
 */
const MAY_CHANGE: ReadonlySet<string> = new Set(['.git', 'node_modules', '.fleetshift']);

/** Covers tracked, untracked and ignored files. */
export function folderState(root: string): FolderState {
  const state = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const name of readdirSync(join(root, folder))) {
      const path = join(folder, name);
      // An editor may remove its own files at any time.
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

/** One line per difference, sorted; empty when nothing changed. */
export function changesBetween(before: FolderState, after: FolderState): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths.flatMap((path) => {
    if (!after.has(path)) return [`removed ${path}`];
    if (!before.has(path)) return [`made ${path}`];
    return before.get(path) === after.get(path) ? [] : [`changed ${path}`];
  });
}
