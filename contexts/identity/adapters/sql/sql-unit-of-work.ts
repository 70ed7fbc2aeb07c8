import type { Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import type { AccountDeleted, TokenRights, UnitOfWork } from '../../application/ports.ts';
import { OutboxEventSink } from './outbox-event-sink.ts';
import { SqlAccountStore } from './sql-account-store.ts';
import { SqlIssuerStore } from './sql-issuer-store.ts';
import { SqlLoginCodeStore } from './sql-login-code-store.ts';
import { SqlRevocationStore } from './sql-revocation-store.ts';
import { SqlSessionStore } from './sql-session-store.ts';
import { SqlTokenStore } from './sql-token-store.ts';

export interface UnitOfWorkParts {
  readonly newId: () => Uuid;
  readonly tokenRights: TokenRights;
  readonly accountDeleted?: AccountDeleted | undefined;
}

/** Adapts a transaction to the ports of the application. The code that opened the transaction also ends it. */
export function unitOfWork(
  tx: Transaction,
  { newId, tokenRights, accountDeleted = async () => () => {} }: UnitOfWorkParts,
): UnitOfWork {
  return {
    issuers: new SqlIssuerStore(tx),
    accounts: new SqlAccountStore(tx),
    tokens: new SqlTokenStore(tx),
    sessions: new SqlSessionStore(tx),
    codes: new SqlLoginCodeStore(tx),
    revocations: new SqlRevocationStore(tx),
    events: new OutboxEventSink(tx, newId),
    accountDeleted,
    tokenRights,
  };
}
