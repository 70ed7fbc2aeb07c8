import type { Row, Storage } from '../port.ts';
import { type Statement, sql } from '../sql.ts';
import type { OutboxEvent } from './append-events.ts';
import { APPENDED, SEQUENCED } from './topics.ts';

/** An event with its place in the log. */
export interface StoredEvent extends OutboxEvent {
  readonly position: number;
}

export interface EventQuery {
  /** 0 for all that there are. */
  readonly after: number;
  readonly limit: number;
  readonly scope?: string | undefined;
}

/**
 * What happened, in one order for everybody. Positions only grow, and whoever has read up to one never later finds a new
 * event before it. They have gaps where events were purged or nothing became of them.
 */
export interface EventLog {
  readEvents(query: EventQuery, signal: AbortSignal): Promise<StoredEvent[]>;
  /** 0 when nothing happened yet. */
  lastPosition(signal: AbortSignal): Promise<number>;
  /** The first event that is still kept, `undefined` when there is none: whoever left off before it has missed some. */
  oldestPosition(signal: AbortSignal): Promise<number | undefined>;
  /** There may be more to read. Returns the way to stop listening. */
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
