import type { Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { appendEvents } from '#kit/storage/outbox';
import type { EventSink } from '../application/ports.ts';
import type { WorkspaceEvent } from '../domain/workspace-event.ts';
import { toResource } from './workspace-resource.ts';

/** Into the outbox, within one transaction. The data is the workspace as the API shows it. */
export class OutboxEventSink implements EventSink {
  readonly #tx: Transaction;
  readonly #newId: () => Uuid;

  constructor(tx: Transaction, newId: () => Uuid) {
    this.#tx = tx;
    this.#newId = newId;
  }

  async append({ type, time, workspace }: WorkspaceEvent, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { name } = workspace;
    // The key is what readers see as the subject, so that it names the workspace as the API does.
    const key = `workspaces/${name}`;
    await this.#tx.batch(
      appendEvents([{ id: this.#newId(), type, key, scope: name, time, data: toResource(workspace) }]),
    );
  }
}
