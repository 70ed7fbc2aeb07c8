import type { Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { appendEvents, type OutboxEvent } from '#kit/storage/outbox';
import type { EventSink } from '../application/ports.ts';
import type { AccessEvent } from '../domain/access-event.ts';
import { ROOT } from '../domain/resource-ref.ts';
import { grantResource } from './grant-resource.ts';
import { permissionSchemaResource } from './permission-schema-resource.ts';

/** Writes to the outbox, within one transaction. The event's data is the resource as the API shows it. */
export class OutboxEventSink implements EventSink {
  readonly #tx: Transaction;
  readonly #newId: () => Uuid;

  constructor(tx: Transaction, newId: () => Uuid) {
    this.#tx = tx;
    this.#newId = newId;
  }

  async append(events: readonly AccessEvent[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (events.length === 0) return;
    await this.#tx.batch(appendEvents(events.map((event) => this.#toOutbox(event))));
  }

  #toOutbox(event: AccessEvent): OutboxEvent {
    const { type, time } = event;
    const head = { id: this.#newId(), type, time };
    if ('grant' in event) {
      const { grant, workspace } = event;
      return { ...head, key: `grants/${grant.uid}`, scope: workspace, data: grantResource(grant) };
    }
    const { schema } = event;
    return {
      ...head,
      key: `permissionSchemas/${schema.name}`,
      scope: ROOT.name,
      data: permissionSchemaResource(schema),
    };
  }
}
