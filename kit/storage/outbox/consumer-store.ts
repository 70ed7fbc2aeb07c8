import type { Row, Storage } from '../port.ts';
import { type Statement, sql } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import type { ConsumerSettings } from './consumer.ts';
import type { Arrival, Attempted, Progress, Standing } from './dispatch-window.ts';
import { EVENT_COLUMNS, type EventRow, LAST_POSITION, type StoredEvent, toStoredEvent } from './event-log.ts';

/**
 * The right to dispatch for a consumer. The fence grows with each claim; the holder of an older fence can no longer
 * write.
 */
export interface Claim {
  readonly kind: 'claimed';
  readonly owner: string;
  readonly fence: number;
  /** Where to continue in the log. */
  readonly cursor: number;
  /** Deferred events of earlier sessions reach up to this position. */
  readonly recordedThrough: number;
}

export interface Claimed {
  readonly kind: 'taken';
  readonly until: number;
}

export interface ClaimRequest {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
}

export interface Recording {
  readonly progress: Progress<StoredEvent>;
  readonly now: number;
  readonly leaseUntil: number;
}

export interface HeldKey extends Row {
  readonly key: string;
  readonly dueAt: number;
}

/** The stored state of one consumer. */
export class ConsumerStore {
  readonly #storage: Storage;
  readonly #name: string;
  readonly #settings: Pick<ConsumerSettings, 'startAt' | 'types'>;

  constructor(storage: Storage, settings: Pick<ConsumerSettings, 'name' | 'startAt' | 'types'>) {
    this.#storage = storage;
    this.#name = settings.name;
    this.#settings = settings;
  }

  /**
   * DECISION: on SQLite a claim is granted regardless of the lease. Only this process uses the database, so the
   * previous holder is gone, and a restart after a crash need not wait for the old lease to expire.
   */
  async claim({ owner, now, leaseUntil }: ClaimRequest, signal: AbortSignal): Promise<Claim | Claimed> {
    return await this.#storage.write(async (tx) => {
      const known = await tx.get<ConsumerRow>(
        sql`SELECT position, owner, fence, lease_until FROM outbox_consumers WHERE name = ${this.#name}`,
      );
      if (known === undefined) {
        const cursor =
          this.#settings.startAt === 'beginning' ? 0 : ((await tx.get<PositionRow>(LAST_POSITION))?.position ?? 0);
        await tx.run(sql`INSERT INTO outbox_consumers (name, position, owner, fence, lease_until)
          VALUES (${this.#name}, ${cursor}, ${owner}, ${1}, ${leaseUntil})`);
        return { kind: 'claimed', owner, fence: 1, cursor, recordedThrough: 0 };
      }
      const mayTake = this.#storage.engine === 'sqlite' || known.owner === owner || known.lease_until <= now;
      if (!mayTake) return { kind: 'taken', until: known.lease_until };
      const fence = known.fence + 1;
      await tx.run(sql`UPDATE outbox_consumers SET owner = ${owner}, fence = ${fence}, lease_until = ${leaseUntil}
        WHERE name = ${this.#name}`);
      const deferred = await tx.get<PositionRow>(
        sql`SELECT coalesce(max(position), 0) AS position FROM outbox_deferred WHERE consumer = ${this.#name}`,
      );
      return { kind: 'claimed', owner, fence, cursor: known.position, recordedThrough: deferred?.position ?? 0 };
    }, signal);
  }

  /** Events after a position, and the position up to which the log has no others for this consumer. */
  async readArrivals(
    after: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<{ arrivals: Arrival<StoredEvent>[]; through: number }> {
    const { types } = this.#settings;
    // Read before the events: an event that is added in between has a higher position and is read next time.
    const last =
      types === undefined ? after : ((await this.#storage.get<PositionRow>(LAST_POSITION, signal))?.position ?? after);
    const rows = await this.#storage.all<EventRow & { standing: Standing }>(
      arrivals(this.#name, { after, limit, types }),
      signal,
    );
    const newest = rows.at(-1)?.position ?? after;
    return {
      arrivals: rows.map((row) => ({ event: toStoredEvent(row), standing: row.standing })),
      through: rows.length < limit ? Math.max(newest, last) : newest,
    };
  }

  /** Held keys, earliest due first. */
  async readHeldKeys(limit: number, signal: AbortSignal): Promise<HeldKey[]> {
    return await this.#storage.all<HeldKey>(
      sql`SELECT key, due_at AS "dueAt" FROM outbox_held_keys WHERE consumer = ${this.#name}
        ORDER BY due_at LIMIT ${limit}`,
      signal,
    );
  }

  /** The first deferred events of a key, in order. */
  async readDeferred(key: string, limit: number, signal: AbortSignal): Promise<Attempted<StoredEvent>[]> {
    const rows = await this.#storage.all<EventRow & { attempts: number }>(
      sql`SELECT ${EVENT_COLUMNS}, d.attempts FROM outbox_deferred d JOIN outbox_log e ON e.position = d.position
        WHERE d.consumer = ${this.#name} AND d.key = ${key} ORDER BY d.position LIMIT ${limit}`,
      signal,
    );
    return rows.map((row) => ({ event: toStoredEvent(row), attempts: row.attempts }));
  }

  /** Writes everything and renews the lease, or writes nothing and returns false if the claim was lost. */
  async record(claim: Claim, { progress, now, leaseUntil }: Recording, signal: AbortSignal): Promise<boolean> {
    const guard = sql.expect(
      1,
      sql`UPDATE outbox_consumers SET position = ${progress.cursor}, lease_until = ${leaseUntil}
        WHERE name = ${this.#name} AND owner = ${claim.owner} AND fence = ${claim.fence}`,
    );
    try {
      await this.#storage.commit([guard, ...progressStatements(this.#name, progress, now)], signal);
      return true;
    } catch (error) {
      if (error instanceof StorageError && error.code === 'GUARD_FAILED') return false;
      throw error;
    }
  }
}

interface PositionRow extends Row {
  readonly position: number;
}

interface ConsumerRow extends PositionRow {
  readonly owner: string;
  readonly fence: number;
  readonly lease_until: number;
}

function arrivals(
  consumer: string,
  { after, limit, types }: { after: number; limit: number; types: readonly string[] | undefined },
): Statement {
  return sql`SELECT ${EVENT_COLUMNS},
      CASE
        WHEN EXISTS (SELECT 1 FROM outbox_deferred d WHERE d.position = e.position AND d.consumer = ${consumer}) THEN 'recorded'
        WHEN EXISTS (SELECT 1 FROM outbox_dead_letters l WHERE l.position = e.position AND l.consumer = ${consumer}) THEN 'recorded'
        WHEN EXISTS (SELECT 1 FROM outbox_held_keys h WHERE h.consumer = ${consumer} AND h.key = e.key) THEN 'held'
        ELSE 'free'
      END AS standing
    FROM outbox_log e
    WHERE e.position > ${after} ${types === undefined ? sql.raw('') : sql`AND e.type IN (${sql.list(types)})`}
    ORDER BY e.position LIMIT ${limit}`;
}

/** Rows are added before any are removed, so that a key with remaining events stays held. */
function progressStatements(
  consumer: string,
  { deferred, dead, held, settled, freed }: Progress<StoredEvent>,
  now: number,
): Statement[] {
  const statements: Statement[] = [];
  if (deferred.size > 0) {
    const rows = [...deferred.values()].map(
      ({ event, attempts, error = null }) => sql`(${event.position}, ${consumer}, ${event.key}, ${attempts}, ${error})`,
    );
    statements.push(sql`INSERT INTO outbox_deferred (position, consumer, key, attempts, last_error) VALUES ${sql.list(rows)}
      ON CONFLICT (position, consumer) DO UPDATE SET attempts = excluded.attempts, last_error = excluded.last_error`);
  }
  if (dead.length > 0) {
    const rows = dead.map(
      ({ event, attempts, error }) =>
        sql`(${event.position}, ${consumer}, ${event.key}, ${attempts}, ${error}, ${now})`,
    );
    statements.push(
      sql`INSERT INTO outbox_dead_letters (position, consumer, key, attempts, last_error, failed_at) VALUES ${sql.list(rows)}`,
    );
  }
  if (held.size > 0) {
    const rows = [...held].map(([key, dueAt]) => sql`(${consumer}, ${key}, ${dueAt})`);
    statements.push(sql`INSERT INTO outbox_held_keys (consumer, key, due_at) VALUES ${sql.list(rows)}
      ON CONFLICT (consumer, key) DO UPDATE SET due_at = excluded.due_at`);
  }
  if (settled.length > 0) {
    statements.push(
      sql`DELETE FROM outbox_deferred WHERE consumer = ${consumer} AND position IN (${sql.list(settled)})`,
    );
  }
  if (freed.size > 0) {
    statements.push(sql`DELETE FROM outbox_held_keys WHERE consumer = ${consumer} AND key IN (${sql.list([...freed])})
      AND NOT EXISTS (SELECT 1 FROM outbox_deferred d WHERE d.consumer = outbox_held_keys.consumer AND d.key = outbox_held_keys.key)`);
  }
  return statements;
}
