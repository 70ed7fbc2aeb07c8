import { sql, type Transaction } from '#kit/storage';
import type { IssuerStore } from '../../application/ports.ts';
import type { Issuer } from '../../domain/issuer.ts';
import { CHANGED_TOPIC } from './changed-topic.ts';
import { ISSUER_COLUMNS, issuerDocument, sealedTextOf, toIssuer } from './issuer-row.ts';
import { stale } from './stale.ts';

/** Within one transaction; for both database engines. */
export class SqlIssuerStore implements IssuerStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async list(signal: AbortSignal): Promise<readonly Issuer[]> {
    signal.throwIfAborted();
    return (await this.#tx.all(sql`SELECT ${ISSUER_COLUMNS} FROM identity_issuers ORDER BY name`)).map(toIssuer);
  }

  async insert(issuer: Issuer, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { name, uid, url, generation, version, createTime, updateTime } = issuer;
    await this.#tx.run(
      sql.announce(
        CHANGED_TOPIC,
        sql`INSERT INTO identity_issuers (${ISSUER_COLUMNS})
            VALUES (${name}, ${uid}, ${url}, ${issuerDocument(issuer)}, ${sealedTextOf(issuer)}, ${generation},
              ${version}, ${createTime}, ${updateTime})`,
      ),
    );
  }

  async replace(next: Issuer, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, generation, version, updateTime } = next;
    const changed = await this.#tx.run(
      sql.announce(
        CHANGED_TOPIC,
        sql`UPDATE identity_issuers
            SET document = ${issuerDocument(next)}, sealed_secret = ${sealedTextOf(next)}, generation = ${generation},
              version = ${version}, update_time = ${updateTime}
            WHERE uid = ${uid} AND version = ${version - 1}`,
      ),
    );
    if (changed !== 1) throw stale(`Issuer ${next.name}`);
  }

  async remove({ name, uid, version }: Issuer, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const changed = await this.#tx.run(
      sql.announce(CHANGED_TOPIC, sql`DELETE FROM identity_issuers WHERE uid = ${uid} AND version = ${version}`),
    );
    if (changed !== 1) throw stale(`Issuer ${name}`);
  }
}
