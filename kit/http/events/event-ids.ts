import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** How positions are encoded for clients, which send them back to resume. */
export interface EventIds {
  write(position: number): string;
  /** `undefined` for a text that `write` did not produce. */
  read(text: string): number | undefined;
}

const DECIMAL = /^(0|[1-9]\d{0,14})$/;

/** Plain positions: for sources that every caller may see in full. */
export const plainEventIds: EventIds = {
  write: String,
  read: (text) => (DECIMAL.test(text) ? Number(text) : undefined),
};

const BLOCK_BYTES = 16;
const POSITION_BYTES = 6;
const SALT_BYTES = 6;
const SEALED = /^[\w-]{22}$/;

/**
 * Opaque positions: they reveal neither how many events a caller may not see, nor whether there were any since the last
 * one. One AES block holds the position, a salt, so that the same position never looks the same, and zeros, to detect
 * forged ids. The key is stored, so that clients can resume after a restart.
 */
export function opaqueEventIds(key: Uint8Array): EventIds {
  return {
    write(position) {
      const block = Buffer.alloc(BLOCK_BYTES);
      block.writeUIntBE(position, 0, POSITION_BYTES);
      randomBytes(SALT_BYTES).copy(block, POSITION_BYTES);
      return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(block).toString('base64url');
    },
    read(text) {
      if (!SEALED.test(text)) return undefined;
      const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
      const block = decipher.update(Buffer.from(text, 'base64url'));
      const check = block.readUIntBE(POSITION_BYTES + SALT_BYTES, BLOCK_BYTES - POSITION_BYTES - SALT_BYTES);
      return check === 0 ? block.readUIntBE(0, POSITION_BYTES) : undefined;
    },
  };
}
