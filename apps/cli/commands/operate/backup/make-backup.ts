import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sealArchive } from '#kit/sealing/archive';
import type { Secret } from '#kit/std';
import type { Reader, Storage } from '#kit/storage';
import { countRows, dumpDatabase, formatRecord, readSchema } from '#kit/storage/transfer';
import type { BackupAbout } from './backup-about.ts';
import { BackupError } from './backup-error.ts';
import type { BackupFile } from './backup-files.ts';

export interface BackupOptions {
  readonly storage: Storage;
  /** Read within the snapshot, so that these keys open everything that is sealed in it. */
  readonly readFiles: () => readonly BackupFile[];
  readonly out: string;
  readonly passphrase: Secret<string>;
  readonly version: string;
  readonly now: number;
  readonly onBegin?: (about: BackupAbout) => void;
  readonly onRow?: () => void;
}

const LINES = 1 << 16;

/** Writes a snapshot of the database and the files beside it into one file, atomically. */
export async function makeBackup(options: BackupOptions, signal: AbortSignal): Promise<BackupAbout> {
  const { storage, out } = options;
  if ((await stat(out).catch(() => undefined)) !== undefined) {
    throw new BackupError('FILE_EXISTS', `the file ${out} already exists; choose another name`);
  }
  const draft = `${out}.part`;
  let hasBegun = false;
  try {
    const about = await storage.read(async (reader) => {
      // The storage would retry with a new snapshot, and half of this one is already written.
      if (hasBegun)
        throw new BackupError('SNAPSHOT_LOST', 'the connection to the database broke; take the backup again');
      hasBegun = true;
      return await write(reader, { ...options, out: draft }, signal);
    }, signal);
    await syncFile(draft);
    await rename(draft, out);
    return about;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function write(reader: Reader, options: BackupOptions, signal: AbortSignal): Promise<BackupAbout> {
  const { storage, out, passphrase, version, now } = options;
  // The first statement fixes the snapshot; the keys are read right after it.
  const schema = await readSchema(reader);
  const files = options.readFiles();
  const rows = await countRows(reader, storage.engine);
  const about = {
    format: 2,
    version,
    createTime: new Date(now).toISOString(),
    engine: storage.engine,
    schema,
    rows,
  } as const;
  options.onBegin?.(about);
  await pipeline(
    inBlocks(linesOf(reader, files, options)),
    createGzip(),
    (bytes: AsyncIterable<Uint8Array>) => sealArchive(bytes, { about, passphrase }),
    createWriteStream(out, { mode: 0o600 }),
    { signal },
  );
  return about;
}

async function* linesOf(reader: Reader, files: readonly BackupFile[], { storage, onRow }: BackupOptions) {
  for (const { name, content } of files) {
    yield JSON.stringify({ kind: 'file', name, content: content.toString('base64') });
  }
  for await (const record of dumpDatabase(reader, storage.engine)) {
    yield formatRecord(record);
    if (record.kind === 'row') onRow?.();
  }
}

/** Compressing line by line would be slow. */
async function* inBlocks(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let block = '';
  for await (const line of lines) {
    block += `${line}\n`;
    if (block.length < LINES) continue;
    yield Buffer.from(block);
    block = '';
  }
  yield Buffer.from(block);
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
