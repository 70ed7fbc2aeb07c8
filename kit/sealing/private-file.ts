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
  /** Users other than the owner may read or write it. */
  readonly isExposed: boolean;
}

/** Checks the permissions of the open descriptor, not of the path, which may be replaced in the meantime. */
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

/** The file is complete and on disk on return. Returns false if there is a file already, which is left unchanged. */
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

/** Throws `EEXIST` if the draft exists: this is how concurrent writers of one file detect each other. */
export function createDraft(draft: string): void {
  closeSync(openSync(draft, 'wx', OWNER_ONLY));
}

/** Replaces the file by the draft atomically: after a crash there is either the old file or the new one. */
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
