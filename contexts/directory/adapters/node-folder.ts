import { createHash, randomUUID } from 'node:crypto';
import { type BigIntStats, constants, watch } from 'node:fs';
import { type FileHandle, lstat, open, rename, rmdir, unlink } from 'node:fs/promises';
import type { FileToWrite, Folder } from '../application/ports.ts';
import { DirectoryError } from '../domain/directory-error.ts';
import type { Observed } from '../domain/plan-files.ts';
import { STATE_FOLDER } from '../domain/safe-path.ts';
import { hasCode, type OpenFolder, openBelow } from './open-below.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const PERMISSIONS = 0o777n;
/** Prefix of files that are still being written. */
export const DRAFT_PREFIX = `${STATE_FOLDER}-draft-`;

interface Known {
  readonly stamp: string;
  readonly sha256: string;
}

/** A folder on this machine. */
export class NodeFolder implements Folder {
  readonly #root: string;
  /** Hashes of files that have not changed since they were read: any change updates the ctime. */
  readonly #known = new Map<string, Known>();

  constructor(root: string) {
    this.#root = root;
  }

  async observe(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Observed>> {
    const found = new Map<string, Observed>();
    for (const path of paths) {
      signal.throwIfAborted();
      found.set(path, await this.#look(path));
    }
    return found;
  }

  async read(path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    signal.throwIfAborted();
    return await this.#inParent(path, { makes: false }, async (parent, name) => {
      const handle = await openFile(parent.at(name));
      if (handle === undefined) return undefined;
      try {
        return (await handle.stat()).isFile() ? await handle.readFile() : undefined;
      } finally {
        await handle.close();
      }
    });
  }

  async write(
    path: string,
    { content, mode, hasSecretFolder = false }: FileToWrite,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    await this.#inParent(path, { makes: true, isSecret: hasSecretFolder }, async (parent, name) => {
      const draft = parent.at(`${DRAFT_PREFIX}${randomUUID()}`);
      try {
        await writeWhole(draft, content, mode);
        await rename(draft, parent.at(name));
      } catch (error) {
        await unlink(draft).catch(() => {});
        throw error;
      }
      await parent.sync();
    });
  }

  async remove(path: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#inParent(path, { makes: false }, async (parent, name) => {
      await unlink(parent.at(name)).catch(unless('ENOENT'));
      await parent.sync();
    });
    const parts = path.split('/').slice(0, -1);
    while (parts.length > 0 && (await this.#removeEmpty(parts.join('/')))) parts.pop();
  }

  watch(changed: () => void): { close(): void } {
    const watcher = watch(this.#root, { recursive: true, persistent: false }, (_event, file) => {
      if (file?.includes(STATE_FOLDER) !== true) changed();
    });
    // Missed changes are found at the next periodic check.
    watcher.on('error', () => watcher.close());
    return watcher;
  }

  async #look(path: string): Promise<Observed> {
    try {
      return (
        (await this.#inParent(path, { makes: false }, async (parent, name) => {
          return await this.#observed(path, parent.at(name));
        })) ?? { kind: 'absent' }
      );
    } catch (error) {
      if (error instanceof DirectoryError) return { kind: 'other', what: 'below something that is not a folder' };
      throw error;
    }
  }

  async #observed(path: string, at: string): Promise<Observed> {
    const stat = await lstat(at, { bigint: true }).catch(unless('ENOENT'));
    if (stat === undefined) return { kind: 'absent' };
    if (!stat.isFile()) return { kind: 'other', what: whatIs(stat) };
    const handle = await openFile(at);
    if (handle === undefined) return { kind: 'absent' };
    try {
      const its = await handle.stat({ bigint: true });
      return { kind: 'file', sha256: await this.#hash(path, handle, its), mode: Number(its.mode & PERMISSIONS) };
    } finally {
      await handle.close();
    }
  }

  async #hash(path: string, handle: FileHandle, stat: BigIntStats): Promise<string> {
    const stamp = `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.sha256;
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Uint8Array);
    const sha256 = hash.digest('hex');
    this.#known.set(path, { stamp, sha256 });
    return sha256;
  }

  async #removeEmpty(path: string): Promise<boolean> {
    const removed = await this.#inParent(path, { makes: false }, async (parent, name) => {
      try {
        await rmdir(parent.at(name));
        return true;
      } catch {
        // The folder contains something else.
        return false;
      }
    });
    return removed === true;
  }

  async #inParent<T>(
    path: string,
    options: { readonly makes: boolean; readonly isSecret?: boolean },
    body: (parent: OpenFolder, name: string) => Promise<T>,
  ): Promise<T | undefined> {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    const parent = await openBelow(this.#root, parts, options);
    if (parent === undefined) return undefined;
    try {
      return await body(parent, name);
    } finally {
      await parent.close();
    }
  }
}

/** Does not wait for a writer if the path is a pipe. */
async function openFile(path: string): Promise<FileHandle | undefined> {
  return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(unless('ENOENT'));
}

export async function writeWhole(path: string, content: Uint8Array, mode: number): Promise<void> {
  const handle = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode);
  try {
    await handle.writeFile(content);
    // The mode at creation is reduced by the umask of the process.
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!hasCode(error, code)) throw error;
    return undefined;
  };
}

function whatIs(stat: BigIntStats): string {
  if (stat.isSymbolicLink()) return 'a link';
  return stat.isDirectory() ? 'a folder' : 'not a regular file';
}
