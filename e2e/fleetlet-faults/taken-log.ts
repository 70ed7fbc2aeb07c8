import type { Inbound } from '#contexts/channels';
import { type Flow, flowName, numberIn } from './flows.ts';
import type { Journal } from './journal.ts';

/** Records each received message, then acknowledges it. */
export class TakenLog {
  readonly #journal: Journal;
  readonly #direction: Flow['direction'];

  constructor(journal: Journal, direction: Flow['direction']) {
    this.#journal = journal;
    this.#direction = direction;
  }

  take(channel: string, message: Inbound): void {
    const { key, redelivered } = message;
    const number = numberIn(message.payload);
    const flow = flowName({ channel, direction: this.#direction, key });
    if (number === undefined) this.#journal.write({ kind: 'wrong', what: `${flow}: what came is not what was sent` });
    else this.#journal.write({ kind: 'taken', flow, number, redelivered });
    message.ack();
  }
}
