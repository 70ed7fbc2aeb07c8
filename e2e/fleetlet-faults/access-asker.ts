import { setTimeout as pause } from 'node:timers/promises';
import type { Channel, Inbound } from '#contexts/channels';
import { decodeAccessAnswer, encodeAccessRequest } from '#contexts/channels/adapters';
import { ACCESS } from './flows.ts';
import type { Journal } from './journal.ts';
import type { Goal } from './numbered-sender.ts';

const AGAIN_MS = 20;

/**
 * Asks the fleetlet whose token it is, one token after another, until the platform's answer is there. A question may be lost
 * with the fleetlet: it is asked again when the channel resumes, or when the platform could not be reached.
 */
export class AccessAsker {
  readonly #journal: Journal;
  readonly #channel: () => Channel;
  #number = 1;
  #goal = 0;
  #request = 0;
  #isPending = false;
  #wake = (): void => {};

  constructor(journal: Journal, channel: () => Channel) {
    this.#journal = journal;
    this.#channel = channel;
  }

  reach({ upTo }: Goal): void {
    this.#goal = Math.max(this.#goal, upTo[ACCESS] ?? 0);
    this.#wake();
  }

  resumed(): void {
    this.#isPending = false;
    this.#wake();
  }

  answered(message: Inbound): void {
    message.ack();
    const answer = decodeAccessAnswer(message.payload);
    if (answer === undefined) return this.#journal.write({ kind: 'wrong', what: 'an answer that is none' });
    // Asked again since.
    if (answer.request !== this.#request) return;
    const { facts } = answer;
    this.#isPending = false;
    if (facts.kind === 'identity') {
      const [number, token] = [this.#number, tokenOf(this.#number)];
      if (facts.subject !== token)
        return this.#journal.write({ kind: 'wrong', what: `${facts.subject} is not ${token}` });
      this.#journal.write({ kind: 'taken', flow: ACCESS, number, redelivered: false });
      this.#number += 1;
    } else if (facts.kind !== 'fault' || facts.code !== 'unavailable') {
      this.#journal.write({ kind: 'wrong', what: `an answer of kind ${facts.kind}` });
    }
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#isPending || this.#number > this.#goal) await this.#untilWoken();
      else await this.#ask(signal).catch(() => pause(AGAIN_MS, undefined, { signal }).catch(() => {}));
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    this.#request += 1;
    const question = { kind: 'identity', token: tokenOf(this.#number) } as const;
    const payload = encodeAccessRequest({ request: this.#request, question });
    this.#isPending = true;
    await this.#channel().send({ payload, key: String(this.#request), target: '' }, signal);
  }

  async #untilWoken(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (this.#isPending || this.#number > this.#goal) await promise;
  }
}

function tokenOf(number: number): string {
  return `token-${number}`;
}
