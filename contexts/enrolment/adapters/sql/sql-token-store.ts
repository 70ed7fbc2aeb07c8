import type { ResourceName } from '#kit/std';
import { sql, type Transaction } from '#kit/storage';
import type { TokenKey, TokenStore } from '../../application/ports.ts';
import type { BootstrapToken } from '../../domain/bootstrap-token.ts';
import { TOKEN_COLUMNS, toToken } from './token-row.ts';

/** Within one transaction; for both database engines. */
export class SqlTokenStore implements TokenStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find({ workspace, name }: TokenKey, signal: AbortSignal): Promise<BootstrapToken | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(
      sql`SELECT ${TOKEN_COLUMNS} FROM enrolment_tokens WHERE workspace = ${workspace} AND name = ${name}`,
    );
    return row && toToken(row);
  }

  async findById(id: string, signal: AbortSignal): Promise<BootstrapToken | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(sql`SELECT ${TOKEN_COLUMNS} FROM enrolment_tokens WHERE id = ${id}`);
    return row && toToken(row);
  }

  async countLive(workspace: ResourceName, now: number, signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    const row = await this.#tx.get<{ live: number }>(sql`
      SELECT count(*) AS live FROM enrolment_tokens
      WHERE workspace = ${workspace} AND expire_time > ${now} AND used < uses`);
    return row?.live ?? 0;
  }

  async insert(token: BootstrapToken, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { id, workspace, name, hash, uses, used, targets, targetType, correlation, createTime, expireTime } = token;
    await this.#tx.run(sql`
      INSERT INTO enrolment_tokens (${TOKEN_COLUMNS})
      VALUES (${id}, ${workspace.name}, ${workspace.path}, ${name}, ${hash}, ${uses}, ${used},
        ${JSON.stringify(targets)}, ${targetType ?? null}, ${correlation ?? null}, ${createTime}, ${expireTime})`);
  }

  async countUse(id: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(sql`UPDATE enrolment_tokens SET used = used + 1 WHERE id = ${id}`);
  }

  async remove(id: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(sql`DELETE FROM enrolment_tokens WHERE id = ${id}`);
  }
}
