import { assertNever, type EventSink, type Uuid } from '#kit/std';
import type { Transaction } from '#kit/storage';
import { appendEvents } from '#kit/storage/outbox';
import type { IdentityEvent } from '../../application/ports.ts';
import { accountResource, issuerResource, tokenResource } from '../resources.ts';

/**
 * Writes to the outbox, within one transaction. The event's data is the resource as the API shows it, without secrets.
 */
export class OutboxEventSink implements EventSink<IdentityEvent> {
  readonly #tx: Transaction;
  readonly #newId: () => Uuid;

  constructor(tx: Transaction, newId: () => Uuid) {
    this.#tx = tx;
    this.#newId = newId;
  }

  async append(events: readonly IdentityEvent[], now: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const rows = events.map(({ type, subject }) => ({ id: this.#newId(), type, time: now, ...describe(subject, now) }));
    await this.#tx.batch(appendEvents(rows));
  }
}

function describe(subject: IdentityEvent['subject'], now: number) {
  switch (subject.kind) {
    case 'issuer':
      return { key: `issuers/${subject.issuer.name}`, scope: 'root', data: issuerResource(subject.issuer) };
    case 'account': {
      const { workspace, name } = subject.account;
      const key = `workspaces/${workspace}/service-accounts/${name}`;
      return { key, scope: workspace, data: accountResource(subject.account) };
    }
    case 'token': {
      const { workspace, name } = subject.account;
      const key = `workspaces/${workspace}/service-accounts/${name}/tokens/${subject.token.id}`;
      return { key, scope: workspace, data: tokenResource(subject.token, now) };
    }
    default:
      return assertNever(subject, 'subject of an event');
  }
}
