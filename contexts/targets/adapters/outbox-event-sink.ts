import type { EventSink, Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { appendEvents } from '#kit/storage/outbox';
import { placementViewOf } from '../domain/placement-view.ts';
import type { TargetEvent } from '../domain/target-event.ts';
import { toResource } from './target-resource.ts';

/** Appends to the outbox, within one transaction, scoped to the workspace of each event. */
export class OutboxEventSink implements EventSink<TargetEvent> {
  readonly #tx: Transaction;
  readonly #newId: () => Uuid;

  constructor(tx: Transaction, newId: () => Uuid) {
    this.#tx = tx;
    this.#newId = newId;
  }

  async append(events: readonly TargetEvent[], now: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const rows = events.map((event) => ({
      id: this.#newId(),
      type: event.type,
      // Readers see the key as the subject, so it names the target as the API does.
      key: `targets/${event.target.name}`,
      scope: event.target.workspace.name,
      time: now,
      data: dataOf(event),
    }));
    if (rows.length > 0) await this.#tx.batch(appendEvents(rows));
  }
}

function dataOf(event: TargetEvent): object {
  const { type, target } = event;
  if (type === 'target.placementChanged') {
    return { fields: event.fields, paths: event.paths, view: placementViewOf(target) };
  }
  if (type === 'target.propertiesChanged') return { paths: event.paths, target: toResource(target) };
  return toResource(target);
}
