import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { openArchive } from '#kit/sealing/archive';
import { FleetError, type Secret } from '#kit/std';
import { type DumpRecord, parseRecord } from '#kit/storage/transfer';
import { type BackupAbout, parseAbout } from './backup-about.ts';
import { BackupError } from './backup-error.ts';
import type { BackupFile } from './backup-files.ts';

export interface ReadBackup {
  readonly about: BackupAbout;
  readonly files: readonly BackupFile[];
  /** Read it once and to the end: only then is it certain that nothing is missing. */
  readonly records: AsyncGenerator<DumpRecord>;
  /** Closes the file, read to the end or not. */
  close(): void;
}

/** Reads the files, which come first; the rows come with the records. */
export async function readBackup(file: string, passphrase: Secret<string>): Promise<ReadBackup> {
  const stream = createReadStream(file);
  const close = (): void => void stream.destroy();
  try {
    return { ...(await read(stream, passphrase)), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function read(stream: AsyncIterable<Uint8Array>, passphrase: Secret<string>): Promise<Omit<ReadBackup, 'close'>> {
  const archive = await openArchive(stream, passphrase);
  const about = parseAbout(archive.about);
  const lines = linesOf(decompressed(archive.content));
  const files: BackupFile[] = [];
  for (;;) {
    const next = await lines.next();
    if (next.done) throw new BackupError('BACKUP_UNREADABLE', 'this backup is empty');
    const found = fileIn(next.value);
    if (found === undefined) return { about, files, records: recordsOf(next.value, lines) };
    files.push(found);
  }
}

async function* recordsOf(first: string, rest: AsyncIterable<string>): AsyncGenerator<DumpRecord> {
  yield parseRecord(first);
  for await (const line of rest) yield parseRecord(line);
}

function fileIn(line: string): BackupFile | undefined {
  if (!line.startsWith('{"kind":"file"')) return undefined;
  const { name, content } = JSON.parse(line) as { name: unknown; content: unknown };
  return { name: String(name), content: Buffer.from(String(content), 'base64') };
}

async function* decompressed(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    yield* Readable.from(content).compose(createGunzip()) as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof FleetError) throw error;
    throw new BackupError('BACKUP_UNREADABLE', 'cannot decompress the backup: unknown compression', {
      cause: error,
    });
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let waiting: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...waiting, chunk.subarray(start, end)]).toString('utf8');
      waiting = [];
      start = end + 1;
    }
    if (start < chunk.length) waiting.push(chunk.subarray(start));
  }
  if (waiting.length > 0) yield Buffer.concat(waiting).toString('utf8');
}
