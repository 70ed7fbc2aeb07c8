import { statSync } from 'node:fs';
import { decrypt, encrypt } from './aes-gcm.ts';
import { changeKeyFile, type FileKey, type KeyFile, missing, newKey, readKeyFile } from './key-file.ts';
import type { KeyWrapper, WrappedKey } from './key-wrapper.ts';
import { SealingError } from './sealing-error.ts';

/** The public facts about a key. */
export interface KeyFacts {
  readonly id: string;
  readonly isActive: boolean;
  readonly createTime: number;
  readonly retireTime: number | undefined;
}

/**
 * Keys in a local file.
 *
 * DECISION: each wrap checks the file first (one `stat`), and reads it again when it was replaced or when a key is
 * unknown. A rotation therefore only replaces the file and need not find the processes that use it; every wrap after
 * that uses the new key. If the file is gone, wrapping fails: a value wrapped then could not be opened after the
 * process ends.
 */
export class FileKeyRing implements KeyWrapper {
  readonly #file: string;
  #seen: string;
  #content: KeyFile;

  private constructor(file: string, seen: string, content: KeyFile) {
    this.#file = file;
    this.#seen = seen;
    this.#content = content;
  }

  /** Throws `KEY_FILE_MISSING` if there is no file. */
  static open(file: string): FileKeyRing {
    const seen = identityOf(file);
    const content = readKeyFile(file);
    if (content === undefined) throw missing(file);
    return new FileKeyRing(file, seen, content);
  }

  async activeId(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    this.#look();
    return this.#content.active;
  }

  async wrap(key: Uint8Array, signal: AbortSignal): Promise<WrappedKey> {
    const keyId = await this.activeId(signal);
    return { keyId, bytes: encrypt(this.#key(keyId), key, associatedOf(keyId)) };
  }

  async unwrap({ keyId, bytes }: WrappedKey, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (!this.#knows(keyId)) this.#read();
    const key = decrypt(this.#key(keyId), bytes, associatedOf(keyId));
    if (key !== undefined) return key;
    throw new SealingError('SEAL_BROKEN', `unwrap a key with ${keyId}: it was changed, or wrapped by another key`);
  }

  /** Newest last. */
  list(): KeyFacts[] {
    this.#read();
    const { active, keys } = this.#content;
    return keys.map(({ id, createTime, retireTime }) => ({ id, isActive: id === active, createTime, retireTime }));
  }

  /** Adds a new active key. The previous one is kept for the values wrapped with it. */
  add(now: number): string {
    const key = newKey(now);
    this.#change(({ active, keys }) => ({
      version: 1,
      active: key.id,
      keys: [...keys.map((each) => (each.id === active ? { ...each, retireTime: now } : each)), key],
    }));
    return key.id;
  }

  /** Values still wrapped with this key are lost. The active key is never dropped. */
  drop(id: string): void {
    this.#change((current) => ({
      ...current,
      keys: current.keys.filter((key) => key.id !== id || id === current.active),
    }));
  }

  #change(change: (current: KeyFile) => KeyFile): void {
    changeKeyFile(this.#file, change);
    this.#read();
  }

  #look(): void {
    if (identityOf(this.#file) !== this.#seen) this.#read();
  }

  #read(): void {
    const seen = identityOf(this.#file);
    const content = readKeyFile(this.#file);
    if (content === undefined) throw missing(this.#file);
    this.#seen = seen;
    this.#content = content;
  }

  #knows(id: string): boolean {
    return this.#content.keys.some((key) => key.id === id);
  }

  #key(id: string): Uint8Array {
    const found: FileKey | undefined = this.#content.keys.find((key) => key.id === id);
    if (found !== undefined) return Buffer.from(found.key, 'base64');
    throw new SealingError(
      'KEY_UNKNOWN',
      `the key file ${this.#file} does not hold the key ${id}, which seals a value; restore the file that holds it`,
      { details: { keyId: id } },
    );
  }
}

/** Changes whenever the file is replaced. */
function identityOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino}:${found.mtimeMs}:${found.size}`;
}

function associatedOf(keyId: string): string {
  return `fleetshift key ${keyId}`;
}
