import { beginsWith, type Statement, type Storage, sql } from '#kit/storage';
import type { ChainedEntry } from '../domain/audit-chain.ts';
import { CHAIN_COLUMNS, toChained } from './audit-row.ts';
import { allOf, anyOf } from './visibility.ts';

export interface AuditQuery {
  /** `undefined`: everything. */
  readonly seen: Seen | undefined;
  readonly path?: string | undefined;
  readonly principal?: string | undefined;
  readonly resource?: string | undefined;
  readonly outcome?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only entries older than this one. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Each with the creation time of the resource that has the name now. */
interface Seen {
  readonly paths: readonly { readonly path: string; readonly since: number }[];
  readonly resources: readonly { readonly resource: string; readonly since: number }[];
}

const SCOPE = sql.raw('scope');
/** Far longer than the time between a request and its entry, even with an unreachable database. */
const LATE_MS = 86_400_000;

/** For both engines, newest first. */
export class SqlAuditReader {
  readonly #storage: Pick<Storage, 'all'>;

  constructor(storage: Pick<Storage, 'all'>) {
    this.#storage = storage;
  }

  async list(query: AuditQuery, signal: AbortSignal): Promise<ChainedEntry[]> {
    const rows = await this.#storage.all(
      sql`SELECT ${CHAIN_COLUMNS} FROM audit_log WHERE ${allOf(conditionsOf(query))}
        ORDER BY id DESC LIMIT ${query.limit}`,
      signal,
    );
    return rows.map(toChained);
  }
}

function conditionsOf({ seen, path, principal, resource, outcome, from, to, before }: AuditQuery): Statement[] {
  return [
    ...(seen === undefined ? [] : [isSeen(seen)]),
    ...(path === undefined ? [] : [beginsWith(SCOPE, path)]),
    ...(principal === undefined ? [] : [principalIs(principal)]),
    ...(resource === undefined ? [] : [resourceIs(resource)]),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
    // An id is made after its request arrived, so times are ranges of ids too, which have an index.
    ...(from === undefined ? [] : [sql`time >= ${from} AND id >= ${idAt(from)}`]),
    ...(to === undefined ? [] : [sql`time < ${to} AND id < ${idAt(to + LATE_MS)}`]),
    ...(before === undefined ? [] : [sql`id < ${before}`]),
  ];
}

function isSeen({ paths, resources }: Seen): Statement {
  return anyOf([
    ...paths.map(({ path, since }) => sql`(${beginsWith(SCOPE, path)} AND ${happenedSince(since)})`),
    ...resources.map(({ resource, since }) => sql`(${resourceIs(resource)} AND ${happenedSince(since)})`),
  ]);
}

/**
 * A resource is created a moment after its request, and its entry a moment later, so the id decides. A refusal is written
 * later, and only has the time of its request.
 */
function happenedSince(since: number): Statement {
  return sql`(id >= ${idAt(since)} AND (outcome = 'done' OR time >= ${since}))`;
}

/** The resource itself, everything below it, and its verbs: `0` follows the slash, `;` follows the colon in byte order. */
function resourceIs(resource: string): Statement {
  return sql`(resource = ${resource} OR (resource >= ${`${resource}/`} AND resource < ${`${resource}0`})
    OR (resource >= ${`${resource}:`} AND resource < ${`${resource};`}))`;
}

/** `kind:id`, or the id alone, which may contain colons. */
function principalIs(principal: string): Statement {
  const colon = principal.indexOf(':');
  const [kind, id] = [principal.slice(0, colon), principal.slice(colon + 1)];
  if (colon < 0) return sql`principal_id = ${principal}`;
  return sql`(principal_id = ${principal} OR (principal_id = ${id} AND principal_kind = ${kind}))`;
}

/** A lower bound for every version 7 UUID of this millisecond or later. */
function idAt(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
