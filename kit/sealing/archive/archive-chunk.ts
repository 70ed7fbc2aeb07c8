import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { ArchiveKey } from './archive-header.ts';

const TAG = 16;
const LENGTH = 4;

/** Plain bytes in a chunk, at most. */
export const CHUNK = 1 << 16;

/**
 * A chunk is its length, its ciphertext and its tag. The nonce is its number and whether it is the last one: so chunks
 * cannot be left out, repeated, put in another order or cut off at the end. A key is for one archive, so that a counter
 * never meets itself.
 */
export function sealChunk(
  { key, binding }: ArchiveKey,
  chunk: { number: number; isLast: boolean; plain: Uint8Array },
): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(chunk)).setAAD(binding);
  const length = Buffer.alloc(LENGTH);
  length.writeUInt32BE(chunk.plain.length);
  return Buffer.concat([length, cipher.update(chunk.plain), cipher.final(), cipher.getAuthTag()]);
}

/** How many bytes the chunk at the beginning of these has; `undefined` while nobody can say. */
export function chunkLength(bytes: Buffer): number | undefined {
  return bytes.length < LENGTH ? undefined : LENGTH + bytes.readUInt32BE(0) + TAG;
}

export const MAX_CHUNK_LENGTH = LENGTH + CHUNK + TAG;

/** `undefined` unless it is this very chunk, and the last or not as said. */
export function openChunk(
  { key, binding }: ArchiveKey,
  chunk: { number: number; isLast: boolean; sealed: Buffer },
): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(chunk), { authTagLength: TAG });
  decipher.setAAD(binding).setAuthTag(chunk.sealed.subarray(-TAG));
  try {
    return Buffer.concat([decipher.update(chunk.sealed.subarray(LENGTH, -TAG)), decipher.final()]);
  } catch {
    // The only thing that `final` says is that the tag does not fit.
    return undefined;
  }
}

function nonceOf({ number, isLast }: { number: number; isLast: boolean }): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}
