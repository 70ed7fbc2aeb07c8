import { sql, type Transaction } from '#kit/storage';
import type { Revocation, RevocationStore } from '../../application/ports.ts';
import { CHANGED_TOPIC } from './changed-topic.ts';

/** Within one transaction; for both database engines. */
export class SqlRevocationStore implements RevocationStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async put({ key, notAfter, expireTime }: Revocation, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(
      sql.announce(
        CHANGED_TOPIC,
        sql`INSERT INTO identity_revocations (key, not_after, expire_time) VALUES (${key}, ${notAfter}, ${expireTime})
            ON CONFLICT (key) DO UPDATE SET not_after = excluded.not_after, expire_time = excluded.expire_time`,
      ),
    );
  }
}
