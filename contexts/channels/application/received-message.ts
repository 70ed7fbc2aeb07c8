import type { MessageFrame } from '../domain/frame.ts';
import type { ReceiveWindow } from '../domain/receive-window.ts';
import type { Inbound } from './channel.ts';

interface AckSender {
  /** Sends the pending acknowledgements soon, together with those that follow until then. */
  acksSoon(): void;
}

export class ReceivedMessage implements Inbound {
  readonly #frame: MessageFrame;
  readonly #window: ReceiveWindow;
  readonly #channel: AckSender;

  constructor(frame: MessageFrame, window: ReceiveWindow, channel: AckSender) {
    this.#frame = frame;
    this.#window = window;
    this.#channel = channel;
  }

  get payload(): Uint8Array {
    return this.#frame.payload;
  }

  get target(): string {
    return this.#frame.target;
  }

  get process(): string {
    return this.#frame.process;
  }

  get key(): string {
    return this.#frame.key;
  }

  get deadline(): number {
    return this.#frame.deadline;
  }

  get redelivered(): boolean {
    return this.#frame.redelivered;
  }

  get dropped(): number {
    return this.#frame.dropped;
  }

  ack(): void {
    // If the two ends have started over since, this window is no longer in use: the sender resends the message.
    this.#window.acknowledge(this.#frame.id);
    this.#channel.acksSoon();
  }
}
