import type { Secret } from '#kit/std';
import { chunkLength, MAX_CHUNK_LENGTH, openChunk } from './archive-chunk.ts';
import { ArchiveError } from './archive-error.ts';
import { type ArchiveKey, openHeader, parseHeader } from './archive-header.ts';

export interface OpenedArchive {
  /** As the creator of the archive wrote it. */
  readonly about: unknown;
  /** Can be read once. Every byte it yields is authentic and in place; only its end proves that nothing is missing. */
  readonly content: AsyncGenerator<Buffer>;
}

/** Reads up to the end of the header; the rest is read with the content. */
export async function openArchive(
  bytes: AsyncIterable<Uint8Array>,
  passphrase: Secret<string>,
): Promise<OpenedArchive> {
  const source = bytes[Symbol.asyncIterator]();
  let read: Buffer = Buffer.alloc(0);
  for (;;) {
    const parsed = parseHeader(read);
    if (parsed !== undefined) {
      const { header, text } = parsed;
      const key = await openHeader(header, text, passphrase);
      return { about: header.about, content: openChunks(source, read.subarray(Buffer.byteLength(text)), key) };
    }
    const next = await source.next();
    if (next.done) throw read.length === 0 ? new ArchiveError('NOT_AN_ARCHIVE', 'this file is empty') : truncated();
    read = Buffer.concat([read, next.value]);
  }
}

async function* openChunks(source: AsyncIterator<Uint8Array>, begin: Buffer, key: ArchiveKey): AsyncGenerator<Buffer> {
  let bytes = begin;
  let number = 0;
  for (let isEnd = false; ; ) {
    const length = chunkLength(bytes);
    if (length !== undefined && length > MAX_CHUNK_LENGTH) throw damaged(number);
    // Reads one byte past the chunk: only then is it known whether the chunk is the last.
    if (!isEnd && (length === undefined || bytes.length <= length)) {
      const next = await source.next();
      if (next.done) isEnd = true;
      else bytes = Buffer.concat([bytes, next.value]);
      continue;
    }
    if (length === undefined || bytes.length < length) throw truncated();
    const sealed = bytes.subarray(0, length);
    bytes = bytes.subarray(length);
    const isLast = isEnd && bytes.length === 0;
    const plain = openChunk(key, { number, isLast, sealed });
    if (plain === undefined)
      throw isLast && openChunk(key, { number, isLast: false, sealed }) ? truncated() : damaged(number);
    number += 1;
    yield plain;
    if (isLast) return;
  }
}

function truncated(): ArchiveError {
  return new ArchiveError('ARCHIVE_TRUNCATED', 'this file is cut off: its end is missing');
}

function damaged(number: number): ArchiveError {
  return new ArchiveError('ARCHIVE_DAMAGED', `this file is damaged at chunk ${number}: its content was changed`);
}
