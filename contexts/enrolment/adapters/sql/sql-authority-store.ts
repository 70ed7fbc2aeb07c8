import { parseUuid } from '#kit/std';
import { type Row, type Statement, sql, type Transaction } from '#kit/storage';
import type { AuthorityStore } from '../../application/ports.ts';
import type { CertificateAuthority } from '../../domain/authority.ts';
import { CHANGED_TOPIC } from './changed-topic.ts';

const COLUMNS = sql.raw(
  'uid, name, certificate, fingerprint, sealed_key, create_time, issue_from, retire_time, not_after',
);

/** Oldest first. */
export const ALL_AUTHORITIES: Statement = sql`SELECT ${COLUMNS} FROM enrolment_authorities ORDER BY create_time, uid`;

export function toAuthority(row: Row): CertificateAuthority {
  return {
    uid: parseUuid(String(row['uid'])),
    name: String(row['name']),
    certificate: String(row['certificate']),
    fingerprint: String(row['fingerprint']),
    sealedKey: String(row['sealed_key']),
    createTime: Number(row['create_time']),
    issueFrom: Number(row['issue_from']),
    retireTime: row['retire_time'] == null ? undefined : Number(row['retire_time']),
    notAfter: Number(row['not_after']),
  };
}

/** Within one transaction; for both database engines. */
export class SqlAuthorityStore implements AuthorityStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async list(signal: AbortSignal): Promise<readonly CertificateAuthority[]> {
    signal.throwIfAborted();
    return (await this.#tx.all(ALL_AUTHORITIES)).map(toAuthority);
  }

  async insert(authority: CertificateAuthority, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, name, certificate, fingerprint, sealedKey, createTime, issueFrom, retireTime, notAfter } = authority;
    await this.#tx.run(
      sql.announce(
        CHANGED_TOPIC,
        sql`INSERT INTO enrolment_authorities (${COLUMNS})
            VALUES (${uid}, ${name}, ${certificate}, ${fingerprint}, ${sealedKey}, ${createTime}, ${issueFrom},
              ${retireTime ?? null}, ${notAfter})`,
      ),
    );
  }

  async retire(uid: string, retireTime: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(
      sql.announce(CHANGED_TOPIC, sql`UPDATE enrolment_authorities SET retire_time = ${retireTime} WHERE uid = ${uid}`),
    );
  }
}
