import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

export const KEY_BYTES = 32;

/** Nonce, ciphertext and tag in one piece. The nonce is random, so one key is good for far fewer than 2^32 of them. */
export function encrypt(key: Uint8Array, plain: Uint8Array, associated: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(associated));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** `undefined` unless key and associated text are those that it was made with, and no bit was changed since. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, associated: string): Buffer | undefined {
  if (sealed.length < NONCE + TAG) return undefined;
  const [nonce, body, tag] = [sealed.subarray(0, NONCE), sealed.subarray(NONCE, -TAG), sealed.subarray(-TAG)];
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG });
  decipher.setAAD(Buffer.from(associated)).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    // The only thing that `final` says is that the tag does not fit.
    return undefined;
  }
}
