import type { Uuid } from '#kit/std';
import { sql, type Transaction } from '#kit/storage';
import type { TokenStore } from '../../application/ports.ts';
import type { AccountToken } from '../../domain/account-token.ts';
import { CHANGED_TOPIC } from './changed-topic.ts';
import { TOKEN_COLUMNS, toToken } from './token-row.ts';

/** Within one transaction; for both database engines. */
export class SqlTokenStore implements TokenStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(account: Uuid, id: string, signal: AbortSignal): Promise<AccountToken | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(
      sql`SELECT ${TOKEN_COLUMNS} FROM identity_tokens WHERE id = ${id} AND account = ${account}`,
    );
    return row && toToken(row);
  }

  async countLive(account: Uuid, now: number, signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    const row = await this.#tx.get<{ live: number }>(
      sql`SELECT count(*) AS live FROM identity_tokens WHERE account = ${account} AND expire_time > ${now}`,
    );
    return row?.live ?? 0;
  }

  async insert(token: AccountToken, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { id, account, hash, displayName, scope, createTime, expireTime, lastUsedTime, rotatedTo } = token;
    await this.#tx.run(sql`
      INSERT INTO identity_tokens (${TOKEN_COLUMNS})
      VALUES (${id}, ${account}, ${hash}, ${displayName ?? null}, ${JSON.stringify(scope)}, ${createTime},
        ${expireTime}, ${lastUsedTime ?? null}, ${rotatedTo ?? null})`);
  }

  async end({ id, expireTime, rotatedTo }: AccountToken, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(
      sql.announce(
        CHANGED_TOPIC,
        sql`UPDATE identity_tokens SET expire_time = ${expireTime}, rotated_to = ${rotatedTo ?? null} WHERE id = ${id}`,
      ),
    );
  }

  async remove(id: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(sql.announce(CHANGED_TOPIC, sql`DELETE FROM identity_tokens WHERE id = ${id}`));
  }
}
