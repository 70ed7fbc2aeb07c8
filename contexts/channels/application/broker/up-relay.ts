import type { Channel, Inbound, Outbound } from '../channel.ts';
import { passedOn } from './passed-on.ts';

/**
 * Hands messages from local processes to the platform, and acknowledges them once the platform has. Until then the processes
 * keep them, so a fleetlet that dies loses nothing. The processes' windows bound how many wait here.
 */
export class UpRelay {
  readonly #channel: Channel;
  readonly #signal: AbortSignal;
  readonly #waiting: Outbound[] = [];
  readonly counts = { handedOn: 0 };
  #isWaiting = false;

  constructor(channel: Channel, signal: AbortSignal) {
    this.#channel = channel;
    this.#signal = signal;
  }

  /** Not accepted by the channel yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  take(message: Inbound, from: { readonly process: string; readonly target: string }): void {
    this.#waiting.push({
      ...passedOn(message),
      ...from,
      // `closed`: the platform refused the channel permanently, and the channel to the process is closed too.
      settled: (how) => {
        if (how !== 'closed') message.ack();
      },
    });
    if (!this.#isWaiting) this.#drain();
  }

  #drain(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#channel.trySend(next)) return this.#awaitRoom();
      this.#waiting.shift();
      this.counts.handedOn += 1;
    }
  }

  #awaitRoom(): void {
    this.#isWaiting = true;
    this.#channel.room(this.#signal).then(
      () => {
        this.#isWaiting = false;
        this.#drain();
      },
      // The channel was closed, or the fleetlet stops: nothing is acknowledged, so nothing is lost.
      () => this.#waiting.splice(0),
    );
  }
}
