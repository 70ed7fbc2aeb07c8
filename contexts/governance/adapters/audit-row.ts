import { type Row, type Statement, sql, type Value } from '#kit/storage';
import type { ChainedEntry } from '../domain/audit-chain.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';

/** Announced after each insert, so that the entry is chained soon. */
export const ARRIVED = 'audit.arrived';

export const ENTRY_COLUMNS = sql.raw(
  'id, time, last_time, count, request_id, operation, method, resource, scope, principal_kind, principal_id, ' +
    'token_id, session_id, client_request_id, address, outcome, before_hash, after_hash',
);
export const CHAIN_COLUMNS = sql`position, previous_hash, hash, ${ENTRY_COLUMNS}`;

export function insertArrival(entry: AuditEntry): Statement {
  const values = sql.list(entryValues(entry));
  return sql.announce(ARRIVED, sql`INSERT INTO audit_arrivals (${ENTRY_COLUMNS}) VALUES (${values})`);
}

/** As many rows as one statement may carry values for. */
export function insertChained(chained: readonly ChainedEntry[]): Statement {
  const rows = chained.map(
    ({ position, previousHash, hash, entry }) =>
      sql`(${sql.list([position, previousHash, hash, ...entryValues(entry)])})`,
  );
  return sql`INSERT INTO audit_log (${CHAIN_COLUMNS}) VALUES ${sql.list(rows)}`;
}

export function toChained(row: Row): ChainedEntry {
  return {
    position: Number(row['position']),
    previousHash: String(row['previous_hash']),
    hash: String(row['hash']),
    entry: toEntry(row),
  };
}

export function toEntry(row: Row): AuditEntry {
  const [kind, id] = [textOrNone(row['principal_kind']), textOrNone(row['principal_id'])];
  return {
    id: String(row['id']),
    time: Number(row['time']),
    lastTime: Number(row['last_time']),
    count: Number(row['count']),
    requestId: String(row['request_id']),
    operation: String(row['operation']),
    method: String(row['method']),
    resource: String(row['resource']),
    scope: textOrNone(row['scope']),
    principal: kind === undefined && id === undefined ? undefined : { kind: kind ?? '', id: id ?? '' },
    token: textOrNone(row['token_id']),
    session: textOrNone(row['session_id']),
    clientRequestId: textOrNone(row['client_request_id']),
    address: String(row['address']),
    outcome: String(row['outcome']),
    before: textOrNone(row['before_hash']),
    after: textOrNone(row['after_hash']),
  };
}

function entryValues(entry: AuditEntry): Value[] {
  const { principal, scope = null, token = null, session = null, before = null, after = null } = entry;
  return [
    entry.id,
    entry.time,
    entry.lastTime,
    entry.count,
    entry.requestId,
    entry.operation,
    entry.method,
    entry.resource,
    scope,
    principal?.kind ?? null,
    principal?.id ?? null,
    token,
    session,
    entry.clientRequestId ?? null,
    entry.address,
    entry.outcome,
    before,
    after,
  ];
}

function textOrNone(value: Value | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
