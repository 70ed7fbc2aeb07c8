import type { Row } from '../port.ts';
import type { Statement, Value } from '../sql.ts';
import type { SqliteFault } from './sqlite-errors.ts';

/** Requests of the main thread to the writer thread. */
export type WriterCall =
  /** Independent batches, each all or nothing. */
  | { readonly kind: 'batches'; readonly batches: readonly (readonly Statement[])[] }
  /** Part of a transaction with reads; `open` on its first part. */
  | { readonly kind: 'statements' | 'query'; readonly open: boolean; readonly statements: readonly Statement[] }
  | { readonly kind: 'end'; readonly keep: boolean }
  | { readonly kind: 'none' };

/**
 * One request: `[place, kind, flag, number of new texts, (number, text)..., statements...]`, and a statement is
 * `[number of its text, rows expected, number of values, values...]`.
 *
 * DECISION: one flat list of words; each text is sent once and then referred to by its number. Cloning a tree of
 * objects costs more than SQLite needs to run the statements.
 */
export type WriterRequest = readonly Value[];

/**
 * The position of a request in its turn. Requests in the middle never begin a transaction: if the turn was lost, the
 * requests sent after that are lost too.
 */
export interface Place {
  readonly first: boolean;
  /** Commits everything since the first request, or nothing. */
  readonly last: boolean;
}

const KINDS = ['batches', 'statements', 'query', 'end', 'none'] as const;

/** `changes` in order, or the reason why the batch was rolled back. */
export type BatchOutcome =
  | { readonly kind: 'done'; readonly changes: readonly number[] }
  | { readonly kind: 'fault'; readonly fault: SqliteFault }
  | { readonly kind: 'guard'; readonly statement: number; readonly expected: number; readonly changed: number };

/** The number of rows changed by each statement, over all batches: the form of nearly every reply. */
export type WriterReply = readonly number[] | WriterNews;

export interface WriterNews {
  /** One outcome per batch, if one of them was bad. */
  readonly outcomes: readonly BatchOutcome[];
  readonly rows: readonly Row[];
  /** The whole turn was lost, with every batch and transaction in it. */
  readonly lost?: SqliteFault;
}

const ANY_NUMBER_OF_ROWS = -1;

/** Texts of varying length (lists) would accumulate; beyond this many, the numbering restarts and overwrites old entries. */
const NUMBERED_TEXTS = 2_000;

/** Numbers texts and serializes requests; tracks the texts that the other side does not know yet. */
export class WordWriter {
  readonly #numbers = new Map<string, number>();
  /** The strings of a template are the same array at every call: a fast lookup of the number. */
  readonly #templates = new Map<readonly string[], number>();
  #news: Value[] = [];

  request(asked: WriterCall, { first, last }: Place): WriterRequest {
    if (this.#numbers.size > NUMBERED_TEXTS) {
      this.#numbers.clear();
      this.#templates.clear();
    }
    const words = this.#flatten(asked);
    const news = this.#news;
    this.#news = [];
    const head = [(first ? 2 : 0) + (last ? 1 : 0), KINDS.indexOf(asked.kind), flagOf(asked), news.length / 2];
    return news.length === 0 ? head.concat(words as number[]) : [...head, ...news, ...words];
  }

  #flatten(asked: WriterCall): Value[] {
    const words: Value[] = [];
    if (asked.kind === 'batches') for (const batch of asked.batches) this.#writeBatch(batch, words);
    else if (asked.kind === 'statements' || asked.kind === 'query') this.#writeBatch(asked.statements, words);
    return words;
  }

  #writeBatch(batch: readonly Statement[], words: Value[]): void {
    words.push(batch.length);
    for (const statement of batch) this.#write(statement, words);
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
      this.#news.push(number, text);
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

export interface ReadRequest extends Place {
  readonly kind: WriterCall['kind'];
  /** `open` or `keep`. */
  readonly flag: boolean;
  readonly batches: readonly (readonly ReadStatement[])[];
}

/** The writer thread's side of the protocol. */
export class WordReader {
  readonly #texts = new Map<number, string>();

  read(words: WriterRequest): ReadRequest {
    let at = 4;
    for (let news = Number(words[3]); news > 0; news--, at += 2)
      this.#texts.set(Number(words[at]), String(words[at + 1]));
    const kind = KINDS[Number(words[1])] ?? 'none';
    const place = Number(words[0]);
    return { first: place >= 2, last: place % 2 === 1, kind, flag: words[2] === 1, batches: this.#batches(words, at) };
  }

  #batches(words: WriterRequest, from: number): ReadStatement[][] {
    const batches: ReadStatement[][] = [];
    for (let at = from; at < words.length; ) {
      const batch: ReadStatement[] = [];
      for (let left = Number(words[at++]); left > 0; left--) {
        const count = Number(words[at + 2]);
        const expected = Number(words[at + 1]);
        batch.push({
          text: this.#texts.get(Number(words[at])) ?? '',
          values: words.slice(at + 3, at + 3 + count),
          expected: expected === ANY_NUMBER_OF_ROWS ? undefined : expected,
        });
        at += 3 + count;
      }
      batches.push(batch);
    }
    return batches;
  }
}

function flagOf(asked: WriterCall): number {
  if (asked.kind === 'end') return asked.keep ? 1 : 0;
  return 'open' in asked && asked.open ? 1 : 0;
}

const texts = new WeakMap<readonly string[], string>();

/** The strings of a template are the same array at every call, so each text is joined once. */
export function textOf(statement: Statement): string {
  const known = texts.get(statement.parts);
  if (known !== undefined) return known;
  const text = statement.parts.join('?');
  texts.set(statement.parts, text);
  return text;
}
