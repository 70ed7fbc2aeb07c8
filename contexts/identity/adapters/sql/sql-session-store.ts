import { sql, type Transaction } from '#kit/storage';
import type { SessionStore, WhichSessions } from '../../application/ports.ts';
import type { Session } from '../../domain/session.ts';
import { CHANGED_TOPIC } from './changed-topic.ts';
import { SESSION_COLUMNS } from './session-row.ts';

/** Within one transaction; for both database engines. */
export class SqlSessionStore implements SessionStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async insert(session: Session, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, hash, kind, principal, groups, issuer } = session;
    const { createTime, lastUsedTime, expireTime, address, userAgent } = session;
    await this.#tx.run(sql`
      INSERT INTO identity_sessions (${SESSION_COLUMNS})
      VALUES (${uid}, ${hash}, ${kind}, ${principal.kind}, ${principal.id}, ${JSON.stringify(groups)}, ${issuer ?? null},
        ${createTime}, ${lastUsedTime}, ${expireTime}, ${address}, ${userAgent ?? null})`);
  }

  async remove(which: WhichSessions, signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    const { principal, uid, hash, issuer } = which;
    const conditions = [
      ...(principal ? [sql`principal_kind = ${principal.kind} AND principal_id = ${principal.id}`] : []),
      ...(uid === undefined ? [] : [sql`uid = ${uid}`]),
      ...(hash === undefined ? [] : [sql`hash = ${hash}`]),
      ...(issuer === undefined ? [] : [sql`issuer = ${issuer}`]),
    ];
    if (conditions.length === 0) throw new TypeError('at least one condition is required to remove sessions');
    const where = sql.list(conditions, ' AND ');
    return await this.#tx.run(sql.announce(CHANGED_TOPIC, sql`DELETE FROM identity_sessions WHERE ${where}`));
  }
}
