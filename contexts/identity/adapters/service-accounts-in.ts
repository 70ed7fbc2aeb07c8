import { sql, type Transaction } from '#kit/storage';

export interface AccountsInside {
  readonly count: number;
  /** The first few. */
  readonly names: readonly string[];
}

/** The service accounts that block the deletion of a workspace. */
export async function serviceAccountsIn(tx: Transaction, workspace: string, limit: number): Promise<AccountsInside> {
  const rows = await tx.all<{ name: string; total: number }>(
    sql`SELECT name, count(*) OVER () AS total FROM identity_accounts WHERE workspace = ${workspace} ORDER BY name LIMIT ${limit}`,
  );
  return { count: rows[0]?.total ?? 0, names: rows.map(({ name }) => name) };
}
