import type { EventSink, Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { appendEvents, type OutboxEvent } from '#kit/storage/outbox';
import type { WorkspaceEvent } from '../domain/workspace-event.ts';
import { toResource } from './workspace-resource.ts';

/** Appends to the outbox, within one transaction. The data is the workspace as the API shows it. */
export class OutboxEventSink implements EventSink<WorkspaceEvent> {
  readonly #tx: Transaction;
  readonly #newId: () => Uuid;

  constructor(tx: Transaction, newId: () => Uuid) {
    this.#tx = tx;
    this.#newId = newId;
  }

  async append(events: readonly WorkspaceEvent[], now: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.batch(appendEvents(events.map((event) => this.#outboxEvent(event, now))));
  }

  #outboxEvent({ type, workspace, from }: WorkspaceEvent, time: number): OutboxEvent {
    const { name } = workspace;
    const data = { ...toResource(workspace), ...(from === undefined ? {} : { from }) };
    // Readers see the key as the subject, so it names the workspace as the API does.
    return { id: this.#newId(), type, key: `workspaces/${name}`, scope: name, time, data };
  }
}
