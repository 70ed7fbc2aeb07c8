import type { EventSink, Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { appendEvents } from '#kit/storage/outbox';
import type { DEPLOYMENT_EVENTS } from '#protocol/api';
import type { OrchestrationEvent } from '../domain/deployment/deployment-event.ts';
import { eventData } from './event-data.ts';

/** Writes to the outbox, within one transaction, scoped to the workspace of the deployment. */
export class OutboxEventSink implements EventSink<OrchestrationEvent> {
  readonly #tx: Transaction;
  readonly #newId: () => Uuid;

  constructor(tx: Transaction, newId: () => Uuid) {
    this.#tx = tx;
    this.#newId = newId;
  }

  async append(events: readonly OrchestrationEvent[], now: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const rows = coalesced(events).map((event) => ({
      id: this.#newId(),
      type: event.type satisfies (typeof DEPLOYMENT_EVENTS)[number],
      // Consumers see the key as the subject, so it names the deployment the way the API does.
      key: keyOf(event),
      scope: 'approval' in event ? event.approval.workspace.name : event.deployment.workspace.name,
      time: now,
      data: eventData(event),
    }));
    if (rows.length > 0) await this.#tx.batch(appendEvents(rows));
  }
}

/** Of several status changes of one deployment, only the last is kept. */
function coalesced(events: readonly OrchestrationEvent[]): readonly OrchestrationEvent[] {
  const last = new Map<string, OrchestrationEvent>();
  for (const event of events) if (event.type === 'deployment.statusChanged') last.set(keyOf(event), event);
  return events.filter((event) => event.type !== 'deployment.statusChanged' || last.get(keyOf(event)) === event);
}

function keyOf(event: OrchestrationEvent): string {
  const { workspace, name } =
    'approval' in event
      ? { workspace: event.approval.workspace, name: event.approval.deploymentName }
      : event.deployment;
  return `workspaces/${workspace.name}/deployments/${name}`;
}
