import { keyset } from '../keyset.ts';
import type { Reader, Storage, Transaction } from '../port.ts';
import { type Statement, sql } from '../sql.ts';
import { DeadLetterError } from './dead-letter-error.ts';

/** Where a letter comes from: messages of agents, or events of the outbox that a consumer could not handle. */
export const LETTER_SOURCES = ['index', 'outbox', 'status'] as const;
export type LetterSource = (typeof LETTER_SOURCES)[number];

export type LetterKey = readonly [source: string, subject: string, code: string];

/** A dead letter of any source, without the message itself: it may quote secrets. */
export interface Letter {
  readonly source: LetterSource;
  /** The sender, as `targets/<uid>`; for an event its key. */
  readonly subject: string;
  /** The code of the error; for an event the consumer and the position, as `orchestration-targets@17`. */
  readonly code: string;
  /** The number of messages; for an event the number of attempts. */
  readonly messages: number;
  readonly lastError: string;
  readonly firstTime: number;
  readonly lastTime: number;
}

const ALL = sql`(
  SELECT source, subject, code, messages, last_error, first_time, last_time FROM dead_letters
  UNION ALL
  SELECT 'outbox' AS source, key AS subject, consumer || '@' || CAST(position AS TEXT) AS code, attempts AS messages,
    COALESCE(last_error, '') AS last_error, failed_at AS first_time, failed_at AS last_time
  FROM outbox_dead_letters
) letters`;

/** In the order of source, subject and code. Fewer than the limit: there are no more. */
export async function listLetters(
  storage: Pick<Storage, 'all'>,
  { after, limit }: { readonly after: LetterKey | undefined; readonly limit: number },
  signal: AbortSignal,
): Promise<readonly Letter[]> {
  const range = keyset({ columns: ['source', 'subject', 'code'], after, limit });
  const rows = await storage.all(
    sql`SELECT source, subject, code, messages, last_error, first_time, last_time FROM ${ALL}
      WHERE ${range.where} ${range.tail}`,
    signal,
  );
  return rows.map(toLetter);
}

/** Throws `DEAD_LETTER_NOT_FOUND`. */
export async function findLetter(reader: Reader, [source, subject, code]: LetterKey): Promise<Letter> {
  const row = await reader.get(
    sql`SELECT source, subject, code, messages, last_error, first_time, last_time FROM ${ALL}
      WHERE source = ${source} AND subject = ${subject} AND code = ${code}`,
  );
  if (row === undefined) throw new DeadLetterError('DEAD_LETTER_NOT_FOUND', 'There is no such dead letter. List them.');
  return toLetter(row);
}

/** The letters of each source that has any. */
export async function countLetters(
  storage: Pick<Storage, 'all'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const rows = await storage.all(sql`SELECT source, count(*) AS stored FROM ${ALL} GROUP BY source`, signal);
  return new Map(rows.map((row) => [String(row['source']), Number(row['stored'])]));
}

/** The caller has found it in the same transaction. */
export async function discardLetter(tx: Transaction, letter: Letter): Promise<void> {
  const event = eventOf(letter);
  await tx.run(
    event === undefined
      ? sql`DELETE FROM dead_letters
          WHERE source = ${letter.source} AND subject = ${letter.subject} AND code = ${letter.code}`
      : sql`DELETE FROM outbox_dead_letters WHERE ${chosen(event)}`,
  );
}

/**
 * Hands an event out again, before all other waiting events of its key. Later events of the key have already been
 * handled. The dispatcher finds it with its next poll, or when `REPLAYED` is announced.
 */
export async function replayLetter(tx: Transaction, letter: Letter, now: number): Promise<void> {
  const event = eventOf(letter);
  if (event === undefined) {
    throw new DeadLetterError(
      'DEAD_LETTER_NOT_REPLAYABLE',
      `A message of the channel ${letter.source} cannot be replayed: agents report their whole state again by themselves. Remove the cause, and discard the letter.`,
    );
  }
  await tx.run(sql`INSERT INTO outbox_deferred (position, consumer, key, attempts)
    SELECT position, consumer, key, 0 FROM outbox_dead_letters WHERE ${chosen(event)}`);
  await tx.run(sql`INSERT INTO outbox_held_keys (consumer, key, due_at)
    SELECT consumer, key, CAST(${now} AS BIGINT) FROM outbox_dead_letters WHERE ${chosen(event)}
    ON CONFLICT (consumer, key) DO UPDATE SET due_at = excluded.due_at`);
  await discardLetter(tx, letter);
}

export function isReplayable({ source }: Pick<Letter, 'source'>): boolean {
  return source === 'outbox';
}

interface Event {
  readonly consumer: string;
  readonly position: number;
}

/** `undefined` for a message of an agent. */
function eventOf(letter: Letter): Event | undefined {
  if (!isReplayable(letter)) return undefined;
  const at = letter.code.lastIndexOf('@');
  return { consumer: letter.code.slice(0, at), position: Number(letter.code.slice(at + 1)) };
}

function chosen({ consumer, position }: Event): Statement {
  return sql`consumer = ${consumer} AND position = ${position}`;
}

function toLetter(row: Readonly<Record<string, unknown>>): Letter {
  return {
    source: String(row['source']) as LetterSource,
    subject: String(row['subject']),
    code: String(row['code']),
    messages: Number(row['messages']),
    lastError: String(row['last_error']),
    firstTime: Number(row['first_time']),
    lastTime: Number(row['last_time']),
  };
}
