import { setTimeout as pause } from 'node:timers/promises';
import type { Outbound } from '#contexts/channels';
import { channelOf, type Flow, flowName, payloadOf } from './flows.ts';
import type { Journal } from './journal.ts';

export interface Goal {
  readonly upTo: Readonly<Record<string, number>>;
  /** Pause between two bursts, chosen so that sending lasts about as long as the faults. */
  readonly pauseMs: number;
}

export interface NumberedSenderDeps {
  readonly flow: Flow;
  readonly journal: Journal;
  /** If it throws, nothing was accepted. */
  readonly send: (message: Outbound, signal: AbortSignal) => Promise<void>;
}

const BURST = 8;
const AGAIN_MS = 20;

/**
 * A correct application: it keeps each message until the other end has taken responsibility, across its own restarts too,
 * and marks repeated messages as redelivered.
 */
export class NumberedSender {
  readonly #deps: NumberedSenderDeps;
  readonly #name: string;
  readonly #isLossy: boolean;
  /** Sent before, perhaps by an earlier process, and not settled. */
  readonly #again = new Set<number>();
  #last = 0;
  #goal = 0;
  #pauseMs = 0;
  #wake = (): void => {};

  constructor(deps: NumberedSenderDeps) {
    this.#deps = deps;
    this.#name = flowName(deps.flow);
    this.#isLossy = channelOf(deps.flow).mode === 'lossy';
    for (const entry of deps.journal.read()) {
      if (!('flow' in entry) || entry.flow !== this.#name || entry.kind === 'taken') continue;
      if (entry.kind === 'begun') this.#last = entry.number;
      if (entry.kind === 'settled') this.#again.delete(entry.number);
      else if (!this.#isLossy) this.#again.add(entry.number);
    }
  }

  reach({ upTo, pauseMs }: Goal): void {
    this.#goal = Math.max(this.#goal, upTo[this.#name] ?? 0);
    this.#pauseMs = pauseMs;
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let sent = 1; !signal.aborted; sent += 1) {
      const number = this.#next();
      if (number === undefined) await this.#untilWoken(signal);
      else await this.#send(number, signal);
      if (sent % BURST === 0) await pause(this.#pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  #next(): number | undefined {
    if (this.#again.size > 0) return Math.min(...this.#again);
    return this.#last < this.#goal ? this.#last + 1 : undefined;
  }

  async #send(number: number, signal: AbortSignal): Promise<void> {
    const { flow, journal, send } = this.#deps;
    const redelivered = this.#again.delete(number);
    if (!redelivered) {
      journal.write({ kind: 'begun', flow: this.#name, number });
      this.#last = number;
    }
    const mark = redelivered ? { redelivered } : {};
    const settled = (how: string): void => this.#settled(number, how);
    try {
      await send({ payload: payloadOf(number), key: flow.key, target: '', ...mark, settled }, signal);
    } catch {
      this.#repeat(number);
      await pause(AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  }

  #settled(number: number, how: string): void {
    if (how !== 'acknowledged') return this.#repeat(number);
    this.#deps.journal.write({ kind: 'settled', flow: this.#name, number });
  }

  /** Messages lost on a lossy channel are not repeated. */
  #repeat(number: number): void {
    if (this.#isLossy) return;
    this.#again.add(number);
    this.#wake();
  }

  async #untilWoken(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (this.#next() === undefined) await promise;
  }
}
