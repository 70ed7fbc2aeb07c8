import { type Statement, sql } from '../sql.ts';
import { OutboxError } from './outbox-error.ts';
import { APPENDED } from './topics.ts';

/** A fact that became true, published to interested consumers. */
export interface OutboxEvent {
  /** A UUID of version 7. */
  readonly id: string;
  readonly type: string;
  /** Events of the same key are handled in order. A good key is the name of the object that the event is about. */
  readonly key: string;
  /** Readers can read the log restricted to one scope. */
  readonly scope?: string | undefined;
  readonly time: number;
  /** Any JSON value, without secrets: events are stored, streamed and sent to other systems. */
  readonly data: unknown;
}

/** Keeps the number of distinct statement texts small, and each statement within the limit of bound values. */
const ROWS = 50;

/**
 * The statements that append events to the outbox. Put them into the batch or transaction that makes the events true,
 * after the write they describe: the row lock of that write orders two transactions on the same key.
 */
export function appendEvents(events: readonly OutboxEvent[]): Statement[] {
  const statements: Statement[] = [];
  for (let start = 0; start < events.length; start += ROWS) {
    const rows = events.slice(start, start + ROWS);
    const [first] = rows;
    statements.push(
      sql.announce(APPENDED, first !== undefined && rows.length === 1 ? insertOne(first) : insertMany(rows)),
    );
  }
  return statements;
}

/** A single event is the common case, and engines keep a plain template prepared. */
function insertOne(event: OutboxEvent): Statement {
  const { id, type, key, scope = null, time } = checked(event);
  return sql`INSERT INTO outbox (id, type, key, scope, time, data)
    VALUES (${id}, ${type}, ${key}, ${scope}, ${time}, ${jsonOf(event)})`;
}

function insertMany(events: readonly OutboxEvent[]): Statement {
  const rows = events.map((event) => {
    const { id, type, key, scope = null, time } = checked(event);
    return sql`(${id}, ${type}, ${key}, ${scope}, ${time}, ${jsonOf(event)})`;
  });
  return sql`INSERT INTO outbox (id, type, key, scope, time, data) VALUES ${sql.list(rows)}`;
}

function checked(event: OutboxEvent): OutboxEvent {
  if (event.id !== '' && event.type !== '' && event.key !== '' && Number.isSafeInteger(event.time)) return event;
  throw new OutboxError(
    'INVALID_EVENT',
    `append event "${event.id}" of type "${event.type}": it needs id, type, key and time`,
  );
}

function jsonOf(event: OutboxEvent): string {
  const text: string | undefined = JSON.stringify(event.data);
  if (text === undefined) {
    throw new OutboxError('INVALID_EVENT', `append event "${event.id}" of type "${event.type}": its data is not JSON`);
  }
  return text;
}
