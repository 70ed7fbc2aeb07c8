import type { Row, Storage } from '../port.ts';
import { type Statement, sql } from '../sql.ts';
import type { OutboxEvent } from './append-events.ts';
import { APPENDED, SEQUENCED } from './topics.ts';

/** An event with its position in the log. */
export interface StoredEvent extends OutboxEvent {
  readonly position: number;
}

export interface EventQuery {
  /** 0 to read from the beginning. */
  readonly after: number;
  readonly limit: number;
  readonly scope?: string | undefined;
}

/**
 * All events in one global order. Positions only grow, and a reader that has read up to a position never finds a new
 * event before it. Positions have gaps where events were purged or transactions rolled back.
 */
export interface EventLog {
  readEvents(query: EventQuery, signal: AbortSignal): Promise<StoredEvent[]>;
  /** 0 if there are no events yet. */
  lastPosition(signal: AbortSignal): Promise<number>;
  /**
   * The first event that is still stored, `undefined` if there is none. A reader that stopped before it has missed
   * events.
   */
  oldestPosition(signal: AbortSignal): Promise<number | undefined>;
  /** Called when there may be more to read. Returns a function that removes the listener. */
  onAdvanced(listener: () => void): () => void;
}

export function createEventLog(storage: Storage): EventLog {
  return {
    readEvents: async ({ after, limit, scope }, signal) => {
      const rows = await storage.all<EventRow>(
        scope === undefined ? page(after, limit) : scopePage(scope, after, limit),
        signal,
      );
      return rows.map(toStoredEvent);
    },
    lastPosition: async (signal) => (await storage.get<{ position: number }>(LAST_POSITION, signal))?.position ?? 0,
    oldestPosition: async (signal) => {
      const row = await storage.get<{ position: number | null }>(
        sql`SELECT min(position) AS position FROM outbox_log`,
        signal,
      );
      return row?.position ?? undefined;
    },
    onAdvanced: (listener) => storage.onAnnounced(storage.engine === 'sqlite' ? APPENDED : SEQUENCED, listener),
  };
}

export const LAST_POSITION = sql`SELECT coalesce(max(position), 0) AS position FROM outbox_log`;

export const EVENT_COLUMNS = sql.raw('e.position, e.id, e.type, e.key, e.scope, e.time, e.data');

export interface EventRow extends Row {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly scope: string | null;
  readonly time: number;
  readonly data: string;
}

export function toStoredEvent({ position, id, type, key, scope, time, data }: EventRow): StoredEvent {
  return { position, id, type, key, ...(scope !== null && { scope }), time, data: JSON.parse(data) };
}

function page(after: number, limit: number): Statement {
  return sql`SELECT position, id, type, key, scope, time, data FROM outbox_log
    WHERE position > ${after} ORDER BY position LIMIT ${limit}`;
}

function scopePage(scope: string, after: number, limit: number): Statement {
  return sql`SELECT position, id, type, key, scope, time, data FROM outbox_log
    WHERE scope = ${scope} AND position > ${after} ORDER BY position LIMIT ${limit}`;
}
