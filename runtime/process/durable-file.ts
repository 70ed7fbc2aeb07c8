import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a file atomically and durably: after a crash there is the old one or the new one. */
export function replaceFile(file: string, content: string, mode: number): void {
  moveFile(writeDraft(file, content, mode), file);
}

/** The same, but never replaces an existing file. Returns false if there is one, which stays unchanged. */
export function createFile(file: string, content: string, mode: number): boolean {
  const draft = writeDraft(file, content, mode);
  try {
    linkSync(draft, file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
  syncFolderOf(file);
  return true;
}

/** Replaces an existing file, if any; both names are durable when it returns. */
export function moveFile(from: string, to: string): void {
  renameSync(from, to);
  syncFolderOf(to);
}

/** The names of drafts never collide: they contain the process id and a random part. */
function writeDraft(file: string, content: string, mode: number): string {
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  const descriptor = openSync(draft, 'wx', mode);
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
    return draft;
  } catch (error) {
    rmSync(draft);
    throw error;
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
