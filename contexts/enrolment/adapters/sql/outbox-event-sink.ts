import { assertNever, type EventSink, type Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { appendEvents } from '#kit/storage/outbox';
import type { EnrolmentEvent } from '../../application/ports.ts';
import { authorityResource, fleetletResource, tokenResource } from '../resources.ts';

/**
 * Writes to the outbox, within one transaction. The event's data is the resource as the API shows it, without secrets.
 */
export class OutboxEventSink implements EventSink<EnrolmentEvent> {
  readonly #tx: Transaction;
  readonly #newId: () => Uuid;

  constructor(tx: Transaction, newId: () => Uuid) {
    this.#tx = tx;
    this.#newId = newId;
  }

  async append(events: readonly EnrolmentEvent[], now: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const rows = events.map(({ type, subject }) => ({ id: this.#newId(), type, time: now, ...describe(subject, now) }));
    await this.#tx.batch(appendEvents(rows));
  }
}

function describe(subject: EnrolmentEvent['subject'], now: number) {
  switch (subject.kind) {
    case 'token': {
      const { workspace, name } = subject.token;
      const key = `workspaces/${workspace.name}/bootstrap-tokens/${name}`;
      return { key, scope: workspace.name, data: tokenResource(subject.token, now) };
    }
    case 'fleetlet': {
      const { workspace, name } = subject.fleetlet;
      const data = fleetletResource(subject.fleetlet, subject.targets);
      return { key: `fleetlets/${name}`, scope: workspace.name, data };
    }
    case 'authority': {
      const { authority } = subject;
      const data = authorityResource(authority, [authority], now);
      return { key: `certificate-authority/${authority.uid}`, scope: 'root', data };
    }
    default:
      return assertNever(subject, 'subject of an event');
  }
}
