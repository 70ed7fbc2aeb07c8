import { randomBytes } from 'node:crypto';
import { canonicalJson, Secret } from '#kit/std';
import { decrypt, encrypt, KEY_BYTES } from './aes-gcm.ts';
import type { KeyWrapper } from './key-wrapper.ts';
import { formatSealed, parseSealed } from './sealed-text.ts';
import { SealingError } from './sealing-error.ts';

/** Where a value is kept. It opens there and nowhere else: a row that was copied over another one's opens for nobody. */
export interface SealedPlace {
  readonly table: string;
  /** The values of the row's key, in order. They never change while the value is kept. */
  readonly row: readonly (string | number)[];
  readonly column: string;
}

/**
 * Seals what must be kept and must not be read: each value with a key of its own, which is kept beside it, wrapped by a
 * key of keys. So a rotation wraps small keys anew, and never touches a value.
 */
export class Sealer {
  readonly #keys: KeyWrapper;

  constructor(keys: KeyWrapper) {
    this.#keys = keys;
  }

  /** Text for a column. Twice the same value gives two texts. */
  async seal(value: Secret<string>, place: SealedPlace, signal: AbortSignal): Promise<string> {
    const key = randomBytes(KEY_BYTES);
    const wrapped = await this.#keys.wrap(key, signal);
    const content = encrypt(key, Buffer.from(value.reveal()), associatedOf(place));
    key.fill(0);
    return formatSealed({ key: wrapped, content });
  }

  /** `SEAL_BROKEN` when it was changed, or sealed for another place. */
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

  /** The same value under the active key; the text itself when it is under that already. */
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
