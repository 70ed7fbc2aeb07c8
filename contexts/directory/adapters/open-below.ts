import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DirectoryError } from '../domain/directory-error.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** A folder that was reached without a link, and stays the one that it is until it is closed. */
export interface OpenFolder {
  /** What stands in it, by a path that leads nowhere else even if the folder is moved or replaced by a link meanwhile. */
  at(name: string): string;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Walks down part by part and follows no link. `undefined` when a folder is missing, unless `makes`; `isSecret` makes the last
 * one for the owner alone.
 *
 * DECISION: Node has no openat. On Linux a path through the descriptor of an open folder is one: whoever swaps a folder
 * for a link after it was opened changes nothing. Elsewhere each part is looked at right before it is used, and a swap in
 * that instant is not noticed.
 */
export async function openBelow(
  root: string,
  parts: readonly string[],
  { makes, isSecret = false }: { readonly makes: boolean; readonly isSecret?: boolean },
): Promise<OpenFolder | undefined> {
  let folder = await openFolder(root, root);
  for (const [index, part] of parts.entries()) {
    const above = folder;
    try {
      const next = await enter(above, part, { makes, mode: isSecret && index === parts.length - 1 ? 0o700 : 0o777 });
      if (next === undefined) return undefined;
      folder = next;
    } finally {
      await above.close();
    }
  }
  return folder;
}

interface Entering {
  readonly makes: boolean;
  readonly mode: number;
}

async function enter(folder: OpenFolder, part: string, { makes, mode }: Entering): Promise<OpenFolder | undefined> {
  const path = folder.at(part);
  try {
    return await openFolder(path, part);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    if (!makes) return undefined;
  }
  await mkdir(path, mode).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  await folder.sync();
  return await openFolder(path, part);
}

async function openFolder(path: string, name: string): Promise<OpenFolder> {
  try {
    return folderOf(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path);
  } catch (error) {
    // Linux says that a link is no folder, others that it is a link.
    if (hasCode(error, 'ENOTDIR') || hasCode(error, 'ELOOP')) {
      const isLink = (await lstat(path)).isSymbolicLink();
      throw new DirectoryError('OUTSIDE_FOLDER', `${name} is ${isLink ? 'a link' : 'no folder'}, and is not entered.`);
    }
    throw error;
  }
}

function folderOf(handle: FileHandle, path: string): OpenFolder {
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  return {
    at: (name) => join(base, name),
    sync: async () => await handle.sync(),
    close: async () => await handle.close(),
  };
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
