import type { Transaction } from '#kit/storage';
import { type LackingRights, lackingRights } from '../application/lacking-rights.ts';
import type { AccessDecisions } from '../application/ports.ts';
import type { Caller, CallerScope } from '../domain/asker.ts';
import { SqlGrantStore } from './sql-grant-store.ts';

/** A token of a service account, as another context knows it. */
export interface AccountTokenRights {
  readonly account: { readonly workspace: string; readonly name: string };
  readonly scope: CallerScope;
}

/** The rights of a token that its maker lacks. The grants to the account are those that the transaction sees. */
export function tokenRightsIn(tx: Transaction, decisions: AccessDecisions) {
  const parts = { search: new SqlGrantStore(tx), decisions };
  return {
    lackedBy: (
      maker: Caller,
      { account: { workspace, name }, scope }: AccountTokenRights,
      signal: AbortSignal,
    ): Promise<LackingRights> => {
      const subject = { kind: 'serviceAccount', id: `${workspace}/${name}` } as const;
      return lackingRights(parts, { token: { subject, scope }, maker }, signal);
    },
  };
}
