import type { Row } from '../port.ts';
import type { Statement, Value } from '../sql.ts';
import type { SqliteFault } from './sqlite-errors.ts';

/**
 * What the main thread and the writer's thread say to each other: one request, one reply, in turn.
 *
 * DECISION: statements travel as one flat list of words, and a text only once, then as its number. Cloning a tree of
 * objects for each statement costs more than SQLite needs to run it.
 */
export interface WriterRequest {
  /** Texts that the writer has not seen, by number. */
  readonly texts: readonly (readonly [number, string])[];
  readonly work: Work;
  /** Ends the turn: everything since the last commit goes to disk, or nothing does. */
  readonly commit: boolean;
}

export type Work =
  /** Independent batches, each all or nothing. */
  | { readonly kind: 'batches'; readonly words: readonly Value[] }
  /** Part of a transaction that looks first; `open` on its first part. */
  | { readonly kind: 'statements'; readonly open: boolean; readonly words: readonly Value[] }
  | { readonly kind: 'query'; readonly open: boolean; readonly words: readonly Value[] }
  | { readonly kind: 'end'; readonly keep: boolean }
  | { readonly kind: 'none' };

/** `changes` in order, or the reason that nothing of the batch stayed. */
export type BatchOutcome =
  | { readonly kind: 'done'; readonly changes: readonly number[] }
  | { readonly kind: 'fault'; readonly fault: SqliteFault }
  | { readonly kind: 'guard'; readonly statement: number; readonly expected: number; readonly changed: number };

export interface WriterReply {
  /** Rows that each statement changed, of all batches in one list: what nearly every reply is. */
  readonly changes?: readonly number[];
  /** Batch by batch, when one of them was bad. */
  readonly outcomes: readonly BatchOutcome[];
  readonly rows: readonly Row[];
  /** The whole turn is gone, with every batch and transaction in it. */
  readonly lost?: SqliteFault;
}

const ANY_NUMBER_OF_ROWS = -1;

/** Texts of varying length (lists) would pile up; past this many the numbering starts anew and overwrites the old. */
const NUMBERED_TEXTS = 2_000;

/** Numbers texts and flattens statements; keeps what the other side has not been told. */
export class WordWriter {
  readonly #numbers = new Map<string, number>();
  /** A template's strings are the same array at every call: the quick way to the number. */
  readonly #templates = new Map<readonly string[], number>();
  #news: [number, string][] = [];

  /** Once a request, since numbers may change their meaning between two. */
  batches(batches: readonly (readonly Statement[])[]): Value[] {
    if (this.#numbers.size > NUMBERED_TEXTS) {
      this.#numbers.clear();
      this.#templates.clear();
    }
    const words: Value[] = [];
    for (const batch of batches) {
      words.push(batch.length);
      for (const statement of batch) this.#write(statement, words);
    }
    return words;
  }

  takeNews(): (readonly [number, string])[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }

  #write(statement: Statement, words: Value[]): void {
    const expected = statement.expected ?? ANY_NUMBER_OF_ROWS;
    const number = this.#templates.get(statement.parts) ?? this.#learn(statement);
    words.push(number, expected, statement.values.length);
    for (const value of statement.values) words.push(value);
  }

  #learn(statement: Statement): number {
    const text = textOf(statement);
    const known = this.#numbers.get(text);
    const number = known ?? this.#numbers.size;
    if (known === undefined) {
      this.#numbers.set(text, number);
      this.#news.push([number, text]);
    }
    if ('raw' in statement.parts) this.#templates.set(statement.parts, number);
    return number;
  }
}

export interface ReadStatement {
  readonly text: string;
  readonly values: readonly Value[];
  readonly expected: number | undefined;
}

/** The writer's side of the same: gives the batches back. */
export class WordReader {
  readonly #texts = new Map<number, string>();

  learn(texts: readonly (readonly [number, string])[]): void {
    for (const [number, text] of texts) this.#texts.set(number, text);
  }

  *batches(words: readonly Value[]): Generator<ReadStatement[]> {
    let at = 0;
    while (at < words.length) {
      const statements: ReadStatement[] = [];
      for (let left = Number(words[at++]); left > 0; left--) {
        const text = this.#texts.get(Number(words[at])) ?? '';
        const expected = Number(words[at + 1]);
        const count = Number(words[at + 2]);
        statements.push({
          text,
          values: words.slice(at + 3, at + 3 + count),
          expected: expected === ANY_NUMBER_OF_ROWS ? undefined : expected,
        });
        at += 3 + count;
      }
      yield statements;
    }
  }
}

const texts = new WeakMap<readonly string[], string>();

/** A template's strings are the same array at every call, so each text is put together once. */
export function textOf(statement: Statement): string {
  const known = texts.get(statement.parts);
  if (known !== undefined) return known;
  const text = statement.parts.join('?');
  texts.set(statement.parts, text);
  return text;
}
