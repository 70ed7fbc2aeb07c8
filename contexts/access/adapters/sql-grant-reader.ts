import type { ResourceName } from '#kit/std';
import { keyset, type Storage, sql } from '#kit/storage';
import type { GrantRange, GrantReader } from '../application/ports.ts';
import type { Grant } from '../domain/grant.ts';
import { GRANT_COLUMNS, toGrant } from './grant-row.ts';

/** Reads the latest committed state; for both database engines. */
export class SqlGrantReader implements GrantReader {
  readonly #storage: Pick<Storage, 'all' | 'get'>;

  constructor(storage: Pick<Storage, 'all' | 'get'>) {
    this.#storage = storage;
  }

  async find(resourceUid: string, name: ResourceName, signal: AbortSignal): Promise<Grant | undefined> {
    const row = await this.#storage.get(
      sql`SELECT ${GRANT_COLUMNS} FROM access_grants WHERE resource_uid = ${resourceUid} AND name = ${name}`,
      signal,
    );
    return row && toGrant(row);
  }

  async list({ resourceUids, after, limit }: GrantRange, signal: AbortSignal): Promise<readonly Grant[]> {
    const page = keyset({ columns: ['name', 'uid'], after, limit });
    const rows = await this.#storage.all(
      sql`SELECT ${GRANT_COLUMNS} FROM access_grants
        WHERE resource_uid IN (${sql.list(resourceUids)}) AND ${page.where} ${page.tail}`,
      signal,
    );
    return rows.map(toGrant);
  }
}
