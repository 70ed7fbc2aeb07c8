import { randomBytes } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES } from '../aes-gcm.ts';
import type { KeyWrapper } from '../key-wrapper.ts';
import { SealingError } from '../sealing-error.ts';

/** Behaves like a key management service: keys stay hidden, and each `rotate` adds one. */
export function memoryKeys(): KeyWrapper & { rotate(): void } {
  const keys = [randomBytes(KEY_BYTES)];
  const activeId = (): string => `m${keys.length - 1}`;
  const keyOf = (id: string): Uint8Array => {
    const key = keys[Number(id.slice(1))];
    if (key === undefined) throw new SealingError('KEY_UNKNOWN', `there is no key ${id}`);
    return key;
  };
  return {
    rotate: () => void keys.push(randomBytes(KEY_BYTES)),
    activeId: async () => activeId(),
    wrap: async (key) => ({ keyId: activeId(), bytes: encrypt(keyOf(activeId()), key, activeId()) }),
    unwrap: async ({ keyId, bytes }) => {
      const key = decrypt(keyOf(keyId), bytes, keyId);
      if (key === undefined) throw new SealingError('SEAL_BROKEN', 'this is not what the key wrapped');
      return key;
    },
  };
}
