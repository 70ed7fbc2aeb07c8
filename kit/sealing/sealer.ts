import { randomBytes } from 'node:crypto';
import { canonicalJson, Secret } from '#kit/std';
import { decrypt, encrypt, KEY_BYTES } from './aes-gcm.ts';
import type { KeyWrapper } from './key-wrapper.ts';
import { formatSealed, parseSealed } from './sealed-text.ts';
import { SealingError } from './sealing-error.ts';

/** Where a sealed value is stored. It opens only there: a sealed text copied to another row does not open. */
export interface SealedPlace {
  readonly table: string;
  /** The primary key of the row, in order. It never changes while the value exists. */
  readonly row: readonly (string | number)[];
  readonly column: string;
}

/**
 * Seals secrets for storage. Each value has its own data key, stored with it and wrapped by a wrapping key. A rotation
 * therefore rewraps only these small keys, and never touches a value.
 */
export class Sealer {
  readonly #keys: KeyWrapper;

  constructor(keys: KeyWrapper) {
    this.#keys = keys;
  }

  /** Returns a text to store in a column. Sealing the same value twice gives different texts. */
  async seal(value: Secret<string>, place: SealedPlace, signal: AbortSignal): Promise<string> {
    const key = randomBytes(KEY_BYTES);
    const wrapped = await this.#keys.wrap(key, signal);
    const content = encrypt(key, Buffer.from(value.reveal()), associatedOf(place));
    key.fill(0);
    return formatSealed({ key: wrapped, content });
  }

  /** Throws `SEAL_BROKEN` if the text was changed, or sealed for another place. */
  async open(sealed: string, place: SealedPlace, signal: AbortSignal): Promise<Secret<string>> {
    const { key: wrapped, content } = parseSealed(sealed);
    const key = await this.#keys.unwrap(wrapped, signal);
    const plain = decrypt(key, content, associatedOf(place));
    if (plain !== undefined) return new Secret(plain.toString('utf8'));
    throw new SealingError(
      'SEAL_BROKEN',
      `open what is sealed in ${place.table}.${place.column}: it was changed, or sealed for another row`,
    );
  }

  /** Returns the same value wrapped with the active key; the same text if it already is. */
  async rewrap(sealed: string, signal: AbortSignal): Promise<string> {
    const { key, content } = parseSealed(sealed);
    if (key.keyId === (await this.#keys.activeId(signal))) return sealed;
    const opened = await this.#keys.unwrap(key, signal);
    return formatSealed({ key: await this.#keys.wrap(opened, signal), content });
  }
}

function associatedOf({ table, row, column }: SealedPlace): string {
  return canonicalJson({ version: 1, table, row, column });
}
