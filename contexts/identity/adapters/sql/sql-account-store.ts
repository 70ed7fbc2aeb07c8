import { sql, type Transaction } from '#kit/storage';
import type { AccountKey, AccountStore } from '../../application/ports.ts';
import { principalIdOf, type ServiceAccount } from '../../domain/service-account.ts';
import { ACCOUNT_COLUMNS, toAccount } from './account-row.ts';
import { CHANGED_TOPIC } from './changed-topic.ts';
import { stale } from './stale.ts';

/** Within one transaction; for both database engines. */
export class SqlAccountStore implements AccountStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find({ workspace, name }: AccountKey, signal: AbortSignal): Promise<ServiceAccount | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(
      sql`SELECT ${ACCOUNT_COLUMNS} FROM identity_accounts WHERE workspace = ${workspace} AND name = ${name}`,
    );
    return row && toAccount(row);
  }

  async insert(account: ServiceAccount, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { workspace, name, uid, displayName, labels, disabled } = account;
    const { generation, version, createTime, updateTime } = account;
    await this.#tx.run(sql`
      INSERT INTO identity_accounts (${ACCOUNT_COLUMNS})
      VALUES (${workspace}, ${name}, ${uid}, ${displayName ?? null}, ${JSON.stringify(labels)}, ${disabled},
        ${generation}, ${version}, ${createTime}, ${updateTime})`);
  }

  async replace(next: ServiceAccount, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, displayName, labels, disabled, generation, version, updateTime } = next;
    const changed = await this.#tx.run(
      sql.announce(
        CHANGED_TOPIC,
        sql`UPDATE identity_accounts
            SET display_name = ${displayName ?? null}, labels = ${JSON.stringify(labels)}, disabled = ${disabled},
              generation = ${generation}, version = ${version}, update_time = ${updateTime}
            WHERE uid = ${uid} AND version = ${version - 1}`,
      ),
    );
    if (changed !== 1) throw stale(`Service account ${principalIdOf(next)}`);
  }

  async remove(account: ServiceAccount, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, version } = account;
    await this.#tx.run(sql`DELETE FROM identity_tokens WHERE account = ${uid}`);
    const changed = await this.#tx.run(
      sql.announce(CHANGED_TOPIC, sql`DELETE FROM identity_accounts WHERE uid = ${uid} AND version = ${version}`),
    );
    if (changed !== 1) throw stale(`Service account ${principalIdOf(account)}`);
  }
}
