import type { Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import type { ResourceReader, UnitOfWork } from '../application/ports.ts';
import { OutboxEventSink } from './outbox-event-sink.ts';
import { SqlGrantStore } from './sql-grant-store.ts';
import { SqlPermissionSchemaStore } from './sql-permission-schema-store.ts';

export interface UnitOfWorkDeps {
  readonly newUid: () => Uuid;
  /** What can be granted on, as the transaction sees it: what is deleted at the same moment is not granted on. */
  readonly resourcesIn: (tx: Transaction) => ResourceReader;
}

/** A transaction in the words of the application. Whoever opened it also ends it. */
export function unitOfWork(tx: Transaction, { newUid, resourcesIn }: UnitOfWorkDeps): UnitOfWork {
  const grants = new SqlGrantStore(tx);
  return {
    grants,
    search: grants,
    schemas: new SqlPermissionSchemaStore(tx),
    resources: resourcesIn(tx),
    events: new OutboxEventSink(tx, newUid),
  };
}
