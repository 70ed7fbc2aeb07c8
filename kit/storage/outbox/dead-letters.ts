import { type Clock, systemClock } from '#kit/std';
import type { Storage } from '../port.ts';
import { type Statement, sql } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import { EVENT_COLUMNS, type EventRow, type StoredEvent, toStoredEvent } from './event-log.ts';
import { OutboxError } from './outbox-error.ts';
import { REPLAYED } from './topics.ts';

/** An event that a consumer failed to handle in all allowed attempts. */
export interface DeadLetter {
  readonly consumer: string;
  readonly event: StoredEvent;
  readonly attempts: number;
  readonly lastError: string;
  readonly failedAt: number;
}

export interface DeadLetterQuery {
  readonly consumer: string;
  /** 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

export interface DeadLetterChoice {
  readonly consumer: string;
  readonly positions: readonly number[] | 'all';
}

/** Operator actions on events that could not be handled. */
export interface DeadLetters {
  /** By position. */
  list(query: DeadLetterQuery, signal: AbortSignal): Promise<DeadLetter[]>;
  /**
   * Hands them out again, before all other waiting events of their keys; resolves to their number. Later events of
   * these keys have already been handled.
   */
  replay(choice: DeadLetterChoice, signal: AbortSignal): Promise<number>;
  /** Deletes them; resolves to their number. */
  discard(choice: DeadLetterChoice, signal: AbortSignal): Promise<number>;
}

export function createDeadLetters(storage: Storage, clock: Clock = systemClock): DeadLetters {
  return {
    list: async ({ consumer, after, limit }, signal) => {
      const rows = await storage.all<DeadLetterRow>(
        sql`SELECT ${EVENT_COLUMNS}, l.consumer, l.attempts, l.last_error, l.failed_at
          FROM outbox_dead_letters l JOIN outbox_log e ON e.position = l.position
          WHERE l.consumer = ${consumer} AND l.position > ${after} ORDER BY l.position LIMIT ${limit}`,
        signal,
      );
      return rows.map(toDeadLetter);
    },
    replay: async (choice, signal) => {
      const replayed = await takeAway(storage, { choice, before: putBack(choice, clock.now()) }, signal);
      await storage.announce(REPLAYED, signal);
      return replayed;
    },
    discard: async (choice, signal) => await takeAway(storage, { choice, before: [] }, signal),
  };
}

/** To be called after the commit that replays a dead letter, so that dispatchers need not wait for their next poll. */
export async function announceReplay(storage: Pick<Storage, 'announce'>, signal: AbortSignal): Promise<void> {
  await storage.announce(REPLAYED, signal);
}

interface DeadLetterRow extends EventRow {
  readonly consumer: string;
  readonly attempts: number;
  readonly last_error: string;
  readonly failed_at: number;
}

function toDeadLetter(row: DeadLetterRow): DeadLetter {
  const { consumer, attempts, last_error: lastError, failed_at: failedAt } = row;
  return { consumer, event: toStoredEvent(row), attempts, lastError, failedAt };
}

/** Removes all chosen ones, or none if one of them does not exist. */
async function takeAway(
  storage: Storage,
  { choice, before }: { choice: DeadLetterChoice; before: readonly Statement[] },
  signal: AbortSignal,
): Promise<number> {
  const remove = sql`DELETE FROM outbox_dead_letters WHERE ${chosen(choice)}`;
  const guarded = choice.positions === 'all' ? remove : sql.expect(new Set(choice.positions).size, remove);
  try {
    return (await storage.commit([...before, guarded], signal)).at(-1) ?? 0;
  } catch (error) {
    if (!(error instanceof StorageError && error.code === 'GUARD_FAILED')) throw error;
    throw new OutboxError(
      'DEAD_LETTER_NOT_FOUND',
      `${choice.consumer} does not have all of these dead letters; list them again`,
      {
        cause: error,
      },
    );
  }
}

function putBack(choice: DeadLetterChoice, now: number): Statement[] {
  return [
    sql`INSERT INTO outbox_deferred (position, consumer, key, attempts)
      SELECT position, consumer, key, 0 FROM outbox_dead_letters WHERE ${chosen(choice)}`,
    sql`INSERT INTO outbox_held_keys (consumer, key, due_at)
      SELECT DISTINCT consumer, key, CAST(${now} AS BIGINT) FROM outbox_dead_letters WHERE ${chosen(choice)}
      ON CONFLICT (consumer, key) DO UPDATE SET due_at = excluded.due_at`,
  ];
}

function chosen({ consumer, positions }: DeadLetterChoice): Statement {
  if (positions === 'all') return sql`consumer = ${consumer}`;
  return sql`consumer = ${consumer} AND position IN (${sql.list([...new Set(positions)])})`;
}
