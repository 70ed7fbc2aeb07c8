import type { Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import type { TargetRegistrar, UnitOfWork, WorkspaceDirectory } from '../../application/ports.ts';
import { OutboxEventSink } from './outbox-event-sink.ts';
import { SqlAuthorityStore } from './sql-authority-store.ts';
import { SqlBindingStore } from './sql-binding-store.ts';
import { SqlFleetletStore } from './sql-fleetlet-store.ts';
import { SqlTokenStore } from './sql-token-store.ts';

export interface EnrolmentUnitDeps {
  readonly newId: () => Uuid;
  readonly targets: (tx: Transaction) => TargetRegistrar;
  readonly workspaces: (tx: Transaction) => WorkspaceDirectory;
}

/** Adapts a transaction to the ports of the application. The code that opened the transaction also ends it. */
export function enrolmentUnitOfWork(tx: Transaction, { newId, targets, workspaces }: EnrolmentUnitDeps): UnitOfWork {
  return {
    tokens: new SqlTokenStore(tx),
    fleetlets: new SqlFleetletStore(tx),
    bindings: new SqlBindingStore(tx),
    authorities: new SqlAuthorityStore(tx),
    targets: targets(tx),
    workspaces: workspaces(tx),
    events: new OutboxEventSink(tx, newId),
  };
}
