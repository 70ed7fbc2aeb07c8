import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './repository.ts';

export interface Release {
  /** For example `v0.1.0`. */
  readonly version: string;
  readonly commit: string;
}

const FILE = 'docs/releases.json';

/**
 * The releases, oldest first. A file names their commits, since a clone may come without tags. A release is entered there
 * in the commit after it: no commit can name itself.
 */
export function readReleases(): readonly Release[] {
  const commits = JSON.parse(readFileSync(join(ROOT, FILE), 'utf8')) as Readonly<Record<string, string>>;
  return Object.entries(commits).map(([version, commit]) => ({ version, commit }));
}

export function newestRelease(): Release {
  const newest = readReleases().at(-1);
  if (newest === undefined) throw new Error(`${FILE} names no release`);
  return newest;
}

/** The commit of a release, and any other name of git's as it is. */
export function commitOf(ref: string): string {
  return readReleases().find(({ version }) => version === ref)?.commit ?? ref;
}
