import { sql, type Transaction } from '#kit/storage';
import type { LoginCode, LoginCodeStore } from '../../application/ports.ts';

/** Within one transaction; for both database engines. */
export class SqlLoginCodeStore implements LoginCodeStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(hash: string, signal: AbortSignal): Promise<LoginCode | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get<{ create_time: number; expire_time: number; used_time: number | null }>(
      sql`SELECT create_time, expire_time, used_time FROM identity_login_codes WHERE hash = ${hash}`,
    );
    if (row === undefined) return undefined;
    const { create_time: createTime, expire_time: expireTime, used_time: usedTime } = row;
    return { hash, createTime, expireTime, usedTime: usedTime ?? undefined };
  }

  async anyUsedOrLive(now: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const row = await this.#tx.get(
      sql`SELECT hash FROM identity_login_codes WHERE used_time IS NOT NULL OR expire_time > ${now} LIMIT 1`,
    );
    return row !== undefined;
  }

  async put({ hash, createTime, expireTime, usedTime }: LoginCode, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(sql`
      INSERT INTO identity_login_codes (hash, create_time, expire_time, used_time)
      VALUES (${hash}, ${createTime}, ${expireTime}, ${usedTime ?? null})
      ON CONFLICT (hash) DO UPDATE SET used_time = excluded.used_time`);
  }
}
