import type { Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import type { UnitOfWork } from '../application/ports.ts';
import { OutboxEventSink } from './outbox-event-sink.ts';
import { SqlWorkspaceStore } from './sql-workspace-store.ts';

/** A transaction in the words of the application. Whoever opened it also ends it. */
export function unitOfWork(tx: Transaction, newId: () => Uuid): UnitOfWork {
  return { workspaces: new SqlWorkspaceStore(tx), events: new OutboxEventSink(tx, newId) };
}
