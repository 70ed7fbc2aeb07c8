import { inPieces, yieldIfLong } from '#kit/std';
import { type Statement, type Storage, StorageError, sql } from '#kit/storage';
import type { ChainEnds, ChainReader, ChainStep, ChainStore, DayHead } from '../application/ports.ts';
import type { ChainedEntry, ChainPoint } from '../domain/audit-chain.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import { GovernanceError } from '../domain/governance-error.ts';
import { CHAIN_COLUMNS, ENTRY_COLUMNS, insertChained, toChained, toEntry } from './audit-row.ts';

const ROWS = 50;

/** A type and not an interface, so that it is assignable to a row. */
type EndRow = { name: string; position: number; hash: string; time: number | null; head_mac: string | null };
type DayRow = { day: string; position: number; hash: string };

/** For both engines, on the latest committed state. */
export class SqlChainStore implements ChainStore, ChainReader {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async ends(signal: AbortSignal): Promise<ChainEnds> {
    const rows = await this.#storage.all<EndRow>(
      sql`SELECT name, position, hash, time, head_mac FROM audit_chain`,
      signal,
    );
    const [start, head] = ['start', 'head'].map((name) => rows.find((row) => row.name === name));
    if (start === undefined || head === undefined) {
      throw new GovernanceError('CHAIN_UNREADABLE', 'read where the audit log begins and ends: a row is missing');
    }
    const headMac = head.head_mac ?? undefined;
    return { start: pointOf(start), head: pointOf(head), headMac, headTime: head.time ?? undefined };
  }

  async arrivals(limit: number, signal: AbortSignal): Promise<AuditEntry[]> {
    const rows = await this.#storage.all(
      sql`SELECT ${ENTRY_COLUMNS} FROM audit_arrivals ORDER BY id LIMIT ${limit}`,
      signal,
    );
    return rows.map(toEntry);
  }

  async append({ head, chained, mac, now }: ChainStep, signal: AbortSignal): Promise<boolean> {
    const last = chained.at(-1);
    if (last === undefined) return true;
    const pieces = inPieces(chained, ROWS);
    const batch = [
      sql.expect(
        1,
        sql`UPDATE audit_chain SET position = ${last.position}, hash = ${last.hash}, time = ${now},
            head_mac = ${mac ?? null}
          WHERE name = 'head' AND position = ${head.position} AND hash = ${head.hash}`,
      ),
      ...pieces.map(insertChained),
      ...pieces.map(deleteArrivals),
    ];
    try {
      await this.#storage.commit(batch, signal);
      return true;
    } catch (error) {
      if (error instanceof StorageError && error.code === 'GUARD_FAILED') return false;
      throw error;
    }
  }

  async recordDay({ day, position, hash }: DayHead, signal: AbortSignal): Promise<boolean> {
    const [made] = await this.#storage.commit(
      [
        sql`INSERT INTO audit_days (day, position, hash) VALUES (${day}, ${position}, ${hash})
          ON CONFLICT (day) DO NOTHING`,
      ],
      signal,
    );
    return made === 1;
  }

  async pending(signal: AbortSignal): Promise<number> {
    const row = await this.#storage.get<{ count: number }>(sql`SELECT count(*) AS count FROM audit_arrivals`, signal);
    return row?.count ?? 0;
  }

  async readChain(after: number, limit: number, signal: AbortSignal): Promise<ChainedEntry[]> {
    // SQLite reads synchronously, and a whole chain would be verified in one turn of the event loop.
    await yieldIfLong();
    const rows = await this.#storage.all(
      sql`SELECT ${CHAIN_COLUMNS} FROM audit_log WHERE position > ${after} ORDER BY position LIMIT ${limit}`,
      signal,
    );
    return rows.map(toChained);
  }

  async days(signal: AbortSignal): Promise<DayHead[]> {
    return await this.#storage.all<DayRow>(sql`SELECT day, position, hash FROM audit_days ORDER BY day`, signal);
  }
}

function deleteArrivals(part: readonly ChainedEntry[]): Statement {
  const ids = sql.list(part.map(({ entry }) => entry.id));
  return sql.expect(part.length, sql`DELETE FROM audit_arrivals WHERE id IN (${ids})`);
}

function pointOf({ position, hash }: EndRow): ChainPoint {
  return { position, hash };
}
