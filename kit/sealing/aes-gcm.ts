import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

export const KEY_BYTES = 32;

/** Nonce, ciphertext and tag, concatenated. The nonce is random, so a key must encrypt far fewer than 2^32 values. */
export function encrypt(key: Uint8Array, plain: Uint8Array, associated: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(associated));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** `undefined` if the key or the associated text differ from those used to encrypt, or if any bit has changed. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, associated: string): Buffer | undefined {
  if (sealed.length < NONCE + TAG) return undefined;
  const [nonce, body, tag] = [sealed.subarray(0, NONCE), sealed.subarray(NONCE, -TAG), sealed.subarray(-TAG)];
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG });
  decipher.setAAD(Buffer.from(associated)).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    // `final` throws only when the tag does not match.
    return undefined;
  }
}
