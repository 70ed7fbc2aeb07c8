import type { Uuid } from '#kit/std';
import type { Reader, Transaction } from '#kit/storage';
import type { DeleteObserver, MergeObserver, UnitOfWork, WorkspaceDirectory } from '../application/ports.ts';
import { OutboxEventSink } from './outbox-event-sink.ts';
import { SqlIdentityStore } from './sql-identity-store.ts';
import { SqlTargetStore } from './sql-target-store.ts';

export interface TargetUnitDeps {
  readonly newId: () => Uuid;
  readonly workspaces: (reader: Reader) => WorkspaceDirectory;
  readonly deleteObservers?: readonly ((tx: Transaction) => DeleteObserver)[];
  readonly mergeObservers?: readonly ((tx: Transaction) => MergeObserver)[];
}

/** A transaction as a unit of work. The caller that opened it also ends it. */
export function targetUnitOfWork(tx: Transaction, deps: TargetUnitDeps): UnitOfWork {
  const { newId, workspaces, deleteObservers = [], mergeObservers = [] } = deps;
  const store = new SqlTargetStore(tx);
  return {
    targets: store,
    connections: store,
    identities: new SqlIdentityStore(tx),
    workspaces: workspaces(tx),
    events: new OutboxEventSink(tx, newId),
    deleteObservers: deleteObservers.map((observer) => observer(tx)),
    mergeObservers: mergeObservers.map((observer) => observer(tx)),
  };
}
