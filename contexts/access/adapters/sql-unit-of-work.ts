import type { Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import type { ResourceReader, UnitOfWork } from '../application/ports.ts';
import { OutboxEventSink } from './outbox-event-sink.ts';
import { SqlGrantStore } from './sql-grant-store.ts';
import { SqlPermissionSchemaStore } from './sql-permission-schema-store.ts';

export interface UnitOfWorkDeps {
  readonly newUid: () => Uuid;
  /** The resources as the transaction sees them, so that no grant is made on one that is deleted concurrently. */
  readonly resourcesIn: (tx: Transaction) => ResourceReader;
}

/** Adapts a transaction to the ports of the application. The code that opened the transaction also ends it. */
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
