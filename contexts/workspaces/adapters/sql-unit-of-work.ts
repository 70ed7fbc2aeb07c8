import type { Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import type { ContentsReader, DeleteObserver, MoveObserver, UnitOfWork } from '../application/ports.ts';
import { OutboxEventSink } from './outbox-event-sink.ts';
import { SqlWorkspaceStore } from './sql-workspace-store.ts';
import { SqlWorkspaceTree } from './sql-workspace-tree.ts';

export interface UnitOfWorkDeps {
  readonly newId: () => Uuid;
  /** Called in this order, within the current transaction. */
  readonly contents: readonly ((tx: Transaction) => ContentsReader)[];
  readonly moveObservers: readonly ((tx: Transaction) => MoveObserver)[];
  readonly deleteObservers: readonly ((tx: Transaction) => DeleteObserver)[];
}

/** A transaction as a unit of work. The caller that opened it also ends it. */
export function unitOfWork(tx: Transaction, deps: UnitOfWorkDeps): UnitOfWork {
  const { newId, contents, moveObservers, deleteObservers } = deps;
  return {
    workspaces: new SqlWorkspaceStore(tx),
    tree: new SqlWorkspaceTree(tx),
    events: new OutboxEventSink(tx, newId),
    contents: contents.map((reader) => reader(tx)),
    moveObservers: moveObservers.map((observer) => observer(tx)),
    deleteObservers: deleteObservers.map((observer) => observer(tx)),
  };
}
