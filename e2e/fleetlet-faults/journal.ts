import { appendFileSync, closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What an end has done, line by line. Written before anybody else is told, so that it is true after a kill: what was
 * handed to the kernel stays.
 */
export type Entry =
  /** About to be sent: from now on the other end may have it. */
  | { readonly kind: 'begun'; readonly flow: string; readonly number: number }
  /** The other end has taken the responsibility. */
  | { readonly kind: 'settled'; readonly flow: string; readonly number: number }
  | { readonly kind: 'taken'; readonly flow: string; readonly number: number; readonly redelivered: boolean }
  /** Something that must not be. */
  | { readonly kind: 'wrong'; readonly what: string };

export class Journal {
  readonly #file: string;

  constructor(folder: string, end: string) {
    this.#file = join(folder, `${end}.journal`);
  }

  write(entry: Entry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  /** All of it; the last line may be half there when its writer was killed. */
  read(): Entry[] {
    return existsSync(this.#file) ? entriesOf(readFileSync(this.#file, 'utf8')) : [];
  }

  follow(): JournalReader {
    return new JournalReader(this.#file);
  }
}

/** Reads what has been written since it was asked last. */
export class JournalReader {
  readonly #file: string;
  #at = 0;
  #rest = '';

  constructor(file: string) {
    this.#file = file;
  }

  next(): Entry[] {
    if (!existsSync(this.#file)) return [];
    const fd = openSync(this.#file, 'r');
    const part = Buffer.alloc(64 * 1024);
    let text = this.#rest;
    for (let read = readSync(fd, part, 0, part.length, this.#at); read > 0; ) {
      text += part.toString('latin1', 0, read);
      this.#at += read;
      read = readSync(fd, part, 0, part.length, this.#at);
    }
    closeSync(fd);
    const end = text.lastIndexOf('\n') + 1;
    this.#rest = text.slice(end);
    return entriesOf(text.slice(0, end));
  }
}

function entriesOf(text: string): Entry[] {
  return text
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Entry);
}
