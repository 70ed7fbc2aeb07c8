import type { EventSink, Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { appendEvents, type OutboxEvent } from '#kit/storage/outbox';
import type { AccessEvent } from '../domain/access-event.ts';
import { ROOT } from '../domain/resource-ref.ts';
import { grantResource } from './grant-resource.ts';
import { permissionSchemaResource } from './permission-schema-resource.ts';

/** Writes to the outbox, within one transaction. The event's data is the resource as the API shows it. */
export class OutboxEventSink implements EventSink<AccessEvent> {
  readonly #tx: Transaction;
  readonly #newId: () => Uuid;

  constructor(tx: Transaction, newId: () => Uuid) {
    this.#tx = tx;
    this.#newId = newId;
  }

  async append(events: readonly AccessEvent[], now: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (events.length === 0) return;
    await this.#tx.batch(appendEvents(events.map((event) => this.#toOutbox(event, now))));
  }

  #toOutbox(event: AccessEvent, time: number): OutboxEvent {
    const head = { id: this.#newId(), type: event.type, time };
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
