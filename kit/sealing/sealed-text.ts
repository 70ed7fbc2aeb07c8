import type { WrappedKey } from './key-wrapper.ts';
import { SealingError } from './sealing-error.ts';

/** `sealed:v1:<key id>:<wrapped key>:<content>`, the last two in base64url. */
export interface SealedText {
  readonly key: WrappedKey;
  /** Nonce, ciphertext and tag. */
  readonly content: Uint8Array;
}

const PREFIX = 'sealed:v1:';
const PARTS = /^sealed:v1:([A-Za-z0-9._-]{1,128}):([A-Za-z0-9_-]+):([A-Za-z0-9_-]+)$/;

export function formatSealed({ key, content }: SealedText): string {
  return `${prefixOf(key.keyId)}${base64(key.bytes)}:${base64(content)}`;
}

/** The prefix of every sealed text whose key is wrapped with this key. */
export function prefixOf(keyId: string): string {
  return `${PREFIX}${keyId}:`;
}

export function parseSealed(text: string): SealedText {
  const [, keyId, wrapped, content] = PARTS.exec(text) ?? [];
  if (keyId === undefined || wrapped === undefined || content === undefined) {
    throw new SealingError('NOT_SEALED', 'open a sealed value: this release does not know its format');
  }
  return { key: { keyId, bytes: Buffer.from(wrapped, 'base64url') }, content: Buffer.from(content, 'base64url') };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
