import { keyset, type Storage, sql } from '#kit/storage';
import type { AccessIndex } from '../domain/access-index.ts';
import { GRANT_COLUMNS, toGrant } from './grant-row.ts';
import { SqlPermissionSchemaReader } from './sql-permission-schema-store.ts';

const PAGE = 1_000;

/**
 * Loads every grant and permission schema into the index; the tree comes from the contexts that own it. The caller
 * notes the position of the event log beforehand, and follows the log from there.
 */
export async function loadAccessIndex(
  { storage, index }: { storage: Storage; index: AccessIndex },
  signal: AbortSignal,
): Promise<void> {
  const schemas = new SqlPermissionSchemaReader(storage);
  for (let after: string | undefined; ; ) {
    const page = await schemas.list({ after, limit: PAGE }, signal);
    for (const schema of page) index.apply({ kind: 'permissionSchema', schema });
    if (page.length < PAGE) break;
    after = page.at(-1)?.name;
  }
  for (let after: string | undefined; ; ) {
    const range = keyset({ columns: ['uid'], after: after === undefined ? undefined : [after], limit: PAGE });
    const rows = await storage.all(
      sql`SELECT ${GRANT_COLUMNS} FROM access_grants WHERE ${range.where} ${range.tail}`,
      signal,
    );
    for (const row of rows) index.apply({ kind: 'grant', grant: toGrant(row) });
    if (rows.length < PAGE) return;
    after = String(rows.at(-1)?.['uid']);
  }
}
