import { CHUNK, sealChunk } from './archive-chunk.ts';
import { type ArchiveOptions, newHeader } from './archive-header.ts';

/** Streams the bytes of an archive with this content. The archive is complete only if the content ends without an error. */
export async function* sealArchive(
  content: AsyncIterable<Uint8Array>,
  options: ArchiveOptions,
): AsyncGenerator<Buffer> {
  const { text, ...key } = await newHeader(options);
  yield Buffer.from(text);
  let number = 0;
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const piece of content) {
    waiting.push(Buffer.from(piece));
    length += piece.length;
    if (length <= CHUNK) continue;
    let rest = Buffer.concat(waiting);
    for (; rest.length > CHUNK; rest = rest.subarray(CHUNK)) {
      yield sealChunk(key, { number: number++, isLast: false, plain: rest.subarray(0, CHUNK) });
    }
    [waiting, length] = [[rest], rest.length];
  }
  yield sealChunk(key, { number, isLast: true, plain: Buffer.concat(waiting) });
}
