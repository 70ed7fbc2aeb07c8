import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DirectoryError } from '../domain/directory-error.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** A folder that was reached without following a link. The handle refers to the same folder until it is closed. */
export interface OpenFolder {
  /** A path to an entry of this folder, even if the folder is moved or replaced by a link meanwhile. */
  at(name: string): string;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens each part of the path in turn and follows no links. `undefined` when a folder is missing, unless `makes`; `isSecret`
 * creates the last folder for the owner alone.
 *
 * DECISION: Node has no openat. On Linux a path through the descriptor of an open folder is equivalent: replacing a folder with
 * a link after it was opened has no effect. On other systems each part is checked right before its use, and a swap in that
 * instant goes unnoticed.
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
    // For a link, Linux reports ENOTDIR, other systems ELOOP.
    if (hasCode(error, 'ENOTDIR') || hasCode(error, 'ELOOP')) {
      const isLink = (await lstat(path)).isSymbolicLink();
      throw new DirectoryError(
        'OUTSIDE_FOLDER',
        `${name} is ${isLink ? 'a link' : 'not a folder'}, and is not entered.`,
      );
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
