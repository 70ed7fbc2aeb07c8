import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

export interface PrivateFile {
  readonly text: string;
  /** Somebody beside the owner may read or write it. */
  readonly isExposed: boolean;
}

/** Looks at the permissions of what it reads, not of what stands at that path a moment later. */
export function readPrivateFile(file: string): PrivateFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    return { isExposed: (fstatSync(descriptor).mode & 0o077) !== 0, text: readFileSync(descriptor, 'utf8') };
  } finally {
    closeSync(descriptor);
  }
}

/** Whole and on disk when it returns. False: there is a file already, which stays as it was. */
export function createPrivateFile(file: string, text: string): boolean {
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  writeSynced(draft, text);
  try {
    linkSync(draft, file);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft);
  }
  syncFolderOf(file);
  return true;
}

/** Throws `EEXIST` when there is such a draft: that is how two writers of one file learn of each other. */
export function createDraft(draft: string): void {
  closeSync(openSync(draft, 'wx', OWNER_ONLY));
}

/** Puts the draft in the place of the file: after a crash there is the old one or the new one. */
export function replaceByDraft(file: string, draft: string, text: string): void {
  writeSynced(draft, text, 'w');
  renameSync(draft, file);
  syncFolderOf(file);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function writeSynced(file: string, text: string, flags = 'wx'): void {
  const descriptor = openSync(file, flags, OWNER_ONLY);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function syncFolderOf(file: string): void {
  const descriptor = openSync(dirname(file), 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
