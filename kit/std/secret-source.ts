import { createHash, randomBytes } from 'node:crypto';

/** Randomness, and the hash under which secrets are stored. */
export interface SecretSource {
  /** 256 bits, in 43 characters of base64url. */
  newSecret(): string;
  newTokenId(): string;
  /** SHA-256, in hex. */
  hash(text: string): string;
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LENGTH = 16;
const SECRET_BYTES = 32;

/** Randomness of the operating system. */
export const secretSource: SecretSource = {
  newSecret: () => randomBytes(SECRET_BYTES).toString('base64url'),
  newTokenId: () => Array.from(randomBytes(ID_LENGTH), (byte) => BASE32[byte % BASE32.length]).join(''),
  hash: (text) => createHash('sha256').update(text).digest('hex'),
};
