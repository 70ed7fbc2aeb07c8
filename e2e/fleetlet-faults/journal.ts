import { appendFileSync, closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The actions of one end, line by line. Each is written before any other party learns of it, so the journal is true after
 * a kill: data handed to the kernel survives the process.
 */
export type Entry =
  /** About to be sent: from now on the other end may have it. */
  | { readonly kind: 'begun'; readonly flow: string; readonly number: number }
  /** The other end has taken responsibility. */
  | { readonly kind: 'settled'; readonly flow: string; readonly number: number }
  | { readonly kind: 'taken'; readonly flow: string; readonly number: number; readonly redelivered: boolean }
  /** The application was told that its channel is back. */
  | { readonly kind: 'resumed'; readonly channel: string }
  /** A violated invariant. */
  | { readonly kind: 'wrong'; readonly what: string };

export class Journal {
  readonly #file: string;

  constructor(folder: string, end: string) {
    this.#file = join(folder, `${end}.journal`);
  }

  write(entry: Entry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  /** All entries; the last line may be incomplete if its writer was killed. */
  read(): Entry[] {
    return existsSync(this.#file) ? entriesOf(readFileSync(this.#file, 'utf8')) : [];
  }

  follow(): JournalReader {
    return new JournalReader(this.#file);
  }
}

/** Reads the entries written since the previous read. */
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
