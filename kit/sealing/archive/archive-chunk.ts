import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { ArchiveKey } from './archive-header.ts';

const TAG = 16;
const LENGTH = 4;

/** Maximum plain bytes per chunk. */
export const CHUNK = 1 << 16;

/**
 * A chunk consists of its length, its ciphertext and its tag. The nonce is the number of the chunk and whether it is
 * the last one, so chunks cannot be omitted, repeated, reordered or cut off at the end. Each archive has a key of its
 * own, so nonces never repeat.
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

/** The length of the chunk at the start of these bytes; `undefined` while there are too few bytes to tell. */
export function chunkLength(bytes: Buffer): number | undefined {
  return bytes.length < LENGTH ? undefined : LENGTH + bytes.readUInt32BE(0) + TAG;
}

export const MAX_CHUNK_LENGTH = LENGTH + CHUNK + TAG;

/** `undefined` unless this is the authentic chunk with that number and last flag. */
export function openChunk(
  { key, binding }: ArchiveKey,
  chunk: { number: number; isLast: boolean; sealed: Buffer },
): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(chunk), { authTagLength: TAG });
  decipher.setAAD(binding).setAuthTag(chunk.sealed.subarray(-TAG));
  try {
    return Buffer.concat([decipher.update(chunk.sealed.subarray(LENGTH, -TAG)), decipher.final()]);
  } catch {
    // `final` throws only when the tag does not match.
    return undefined;
  }
}

function nonceOf({ number, isLast }: { number: number; isLast: boolean }): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}
