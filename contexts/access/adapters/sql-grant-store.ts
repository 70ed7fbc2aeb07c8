import { assertNever, inPieces, type ResourceName } from '#kit/std';
import { keyset, type Statement, sql, type Transaction } from '#kit/storage';
import type { GrantCriterion, GrantSearch, GrantStore } from '../application/ports.ts';
import type { Grant } from '../domain/grant.ts';
import type { LookupRange } from '../domain/lookup-access.ts';
import { fingerprintOf, GRANT_COLUMNS, giftColumns, toGrant } from './grant-row.ts';

/** Keeps the number of parameters within the limit of a statement. */
const AT_ONCE = 200;

/** Within one transaction; for both database engines. */
export class SqlGrantStore implements GrantStore, GrantSearch {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(resourceUid: string, name: ResourceName, signal: AbortSignal): Promise<Grant | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(
      sql`SELECT ${GRANT_COLUMNS} FROM access_grants WHERE resource_uid = ${resourceUid} AND name = ${name}`,
    );
    return row && toGrant(row);
  }

  async findEqual(grant: Grant, signal: AbortSignal): Promise<Grant | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(
      sql`SELECT ${GRANT_COLUMNS} FROM access_grants WHERE fingerprint = ${fingerprintOf(grant)}`,
    );
    return row && toGrant(row);
  }

  async hasOtherAdmin(resourceUid: string, besides: readonly Grant[], signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const rows = await this.#tx.all<{ uid: string }>(
      sql`SELECT uid FROM access_grants WHERE resource_uid = ${resourceUid} AND role = ${'admin'}`,
    );
    const uids = new Set<string>(besides.map(({ uid }) => uid));
    return rows.some(({ uid }) => !uids.has(uid));
  }

  async insert(grant: Grant, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, name, resource, subject, gives, grantedBy, createTime } = grant;
    const [role, permission, attributes] = giftColumns(gives);
    await this.#tx.run(sql`
      INSERT INTO access_grants
        (uid, name, resource_kind, resource_name, resource_uid, subject_kind, subject_id, role, permission, attributes,
          fingerprint, granted_by, create_time)
      VALUES (${uid}, ${name}, ${resource.kind}, ${resource.name}, ${resource.uid}, ${subject.kind}, ${subject.id},
        ${role}, ${permission}, ${attributes}, ${fingerprintOf(grant)}, ${grantedBy}, ${createTime})`);
  }

  async remove(grants: readonly Grant[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (const some of inPieces(grants, AT_ONCE)) {
      const uids = sql.list(some.map(({ uid }) => uid));
      await this.#tx.run(sql`DELETE FROM access_grants WHERE uid IN (${uids})`);
    }
  }

  async matching(criterion: GrantCriterion, range: LookupRange, signal: AbortSignal): Promise<readonly Grant[]> {
    signal.throwIfAborted();
    const { after, limit } = range;
    const page = keyset({ columns: ['uid'], after: after === undefined ? undefined : [after], limit });
    const rows = await this.#tx.all(
      sql`SELECT ${GRANT_COLUMNS} FROM access_grants WHERE ${conditionOf(criterion)} AND ${page.where} ${page.tail}`,
    );
    return rows.map(toGrant);
  }
}

function conditionOf(criterion: GrantCriterion): Statement {
  switch (criterion.by) {
    case 'resource':
      return sql`resource_uid = ${criterion.uid}`;
    case 'permission':
      return sql`permission = ${criterion.permission}`;
    case 'subject':
      return sql`subject_kind = ${criterion.subject.kind} AND subject_id = ${criterion.subject.id}`;
    default:
      return assertNever(criterion, 'criterion');
  }
}
