import { keyset, type Row, type Storage, sql } from '#kit/storage';
import type { AccountKey } from '../../application/ports.ts';
import type { AccountToken } from '../../domain/account-token.ts';
import type { Issuer } from '../../domain/issuer.ts';
import type { ServiceAccount } from '../../domain/service-account.ts';
import type { Session } from '../../domain/session.ts';
import { ACCOUNT_COLUMNS, toAccount } from './account-row.ts';
import { ISSUER_COLUMNS, toIssuer } from './issuer-row.ts';
import { SESSION_COLUMNS, toSession } from './session-row.ts';
import { TOKEN_COLUMNS, toToken } from './token-row.ts';

export interface Range {
  readonly after: string | undefined;
  readonly limit: number;
}

/** Reads committed state, for lists and for authentication. Never waits for a writer. */
export class SqlIdentityReader {
  readonly #storage: Pick<Storage, 'all' | 'get'>;

  constructor(storage: Pick<Storage, 'all' | 'get'>) {
    this.#storage = storage;
  }

  async issuers(signal: AbortSignal): Promise<readonly Issuer[]> {
    const rows = await this.#storage.all(sql`SELECT ${ISSUER_COLUMNS} FROM identity_issuers ORDER BY name`, signal);
    return rows.map(toIssuer);
  }

  async account({ workspace, name }: AccountKey, signal: AbortSignal): Promise<ServiceAccount | undefined> {
    const row = await this.#storage.get(
      sql`SELECT ${ACCOUNT_COLUMNS} FROM identity_accounts WHERE workspace = ${workspace} AND name = ${name}`,
      signal,
    );
    return row && toAccount(row);
  }

  async accounts(workspace: string, range: Range, signal: AbortSignal): Promise<readonly ServiceAccount[]> {
    const page = pageOf('name', range);
    const rows = await this.#storage.all(
      sql`SELECT ${ACCOUNT_COLUMNS} FROM identity_accounts WHERE workspace = ${workspace} AND ${page.where} ${page.tail}`,
      signal,
    );
    return rows.map(toAccount);
  }

  async tokens(account: string, range: Range, signal: AbortSignal): Promise<readonly AccountToken[]> {
    const page = pageOf('id', range);
    const rows = await this.#storage.all(
      sql`SELECT ${TOKEN_COLUMNS} FROM identity_tokens WHERE account = ${account} AND ${page.where} ${page.tail}`,
      signal,
    );
    return rows.map(toToken);
  }

  /** A token with its account. */
  async tokenById(
    id: string,
    signal: AbortSignal,
  ): Promise<{ token: AccountToken; account: ServiceAccount } | undefined> {
    const row = await this.#storage.get(sql`SELECT ${TOKEN_COLUMNS} FROM identity_tokens WHERE id = ${id}`, signal);
    if (row === undefined) return undefined;
    const token = toToken(row);
    const account = await this.#storage.get(
      sql`SELECT ${ACCOUNT_COLUMNS} FROM identity_accounts WHERE uid = ${token.account}`,
      signal,
    );
    return account && { token, account: toAccount(account) };
  }

  async sessionByHash(hash: string, signal: AbortSignal): Promise<Session | undefined> {
    const row = await this.#storage.get(
      sql`SELECT ${SESSION_COLUMNS} FROM identity_sessions WHERE hash = ${hash}`,
      signal,
    );
    return row && toSession(row);
  }

  async sessionsOf(
    principal: { readonly kind: string; readonly id: string },
    range: Range,
    signal: AbortSignal,
  ): Promise<readonly Session[]> {
    const page = pageOf('uid', range);
    const rows = await this.#storage.all(
      sql`SELECT ${SESSION_COLUMNS} FROM identity_sessions
          WHERE principal_kind = ${principal.kind} AND principal_id = ${principal.id} AND ${page.where} ${page.tail}`,
      signal,
    );
    return rows.map(toSession);
  }

  /** By key: the time up to which issued credentials are revoked. */
  async revocations(now: number, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#storage.all<RevocationRow>(
      sql`SELECT key, not_after FROM identity_revocations WHERE expire_time > ${now}`,
      signal,
    );
    return new Map(rows.map(({ key, not_after: notAfter }) => [key, notAfter]));
  }
}

type RevocationRow = Row & { readonly key: string; readonly not_after: number };

function pageOf(column: string, { after, limit }: Range) {
  return keyset({ columns: [column], after: after === undefined ? undefined : [after], limit });
}
