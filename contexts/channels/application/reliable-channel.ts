import { ChannelError } from '../domain/channel-error.ts';
import {
  type CloseFrame,
  type Frame,
  type MessageFrame,
  type MessageLimits,
  PROTOCOL_LIMITS,
} from '../domain/frame.ts';
import { handshakeName, isOlderHandshake } from '../domain/handshake-name.ts';
import { type Received, ReceiveWindow } from '../domain/receive-window.ts';
import { SendQueue } from '../domain/send-queue.ts';
import type { Channel, LinkedChannel, LinkedChannelOptions, Outbound } from './channel.ts';
import type { FrameLink, Handshake } from './link.ts';
import { RoomQueue } from './room-queue.ts';

export { createShardedChannel } from './sharded-channel.ts';

type Why = Omit<CloseFrame, 'kind'>;

const DONE: Why = { reason: 'done', message: '', retryAfterMs: 0 };
const LATE: Why = { reason: 'superseded', message: 'there is a later stream', retryAfterMs: 0 };
/** Acknowledgements are batched, up to this many. */
const MOST_ACKS = 256;

/** Connects the domain's send queue and receive window to streams. */
export function createReliableChannel(options: LinkedChannelOptions): LinkedChannel {
  return new ReliableChannel(options);
}

class ReliableChannel implements LinkedChannel {
  readonly #options: LinkedChannelOptions;
  readonly #limits: MessageLimits;
  readonly #incarnation: string;
  #handshakes = 0;
  readonly #sending: SendQueue;
  #receiving: ReceiveWindow;
  /** Names of the handshake in which the two ends started to count: this end's, and below the other end's. */
  #name: string | undefined;
  #other: string | undefined;
  /** The other end's most recent handshake. */
  #latest = '';
  #link: FrameLink | undefined;
  #linkHasRoom = false;
  #pumping = false;
  #acksAreDue = false;
  #waiting: RoomQueue | undefined;
  #refusedSize = 0;
  #closed: Why | undefined;

  constructor(options: LinkedChannelOptions) {
    this.#options = options;
    this.#limits = options.limits ?? PROTOCOL_LIMITS;
    this.#incarnation = options.newIncarnation();
    this.#sending = new SendQueue({
      lossy: options.mode === 'lossy',
      buffer: options.buffer,
      limits: this.#limits,
      sha256: options.sha256,
    });
    this.#receiving = this.#newReceiving();
  }

  get name(): string {
    return this.#options.name;
  }

  get buffered(): Channel['buffered'] {
    const { buffered, losses } = this.#sending;
    return { messages: buffered.messages, bytes: buffered.bytes, dropped: losses.all };
  }

  async send(message: Outbound, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.trySend(message)) return;
    if (this.#closed !== undefined) throw this.#closedError();
    await this.#waitingRoom().wait(() => this.#offer(message), signal);
  }

  trySend(message: Outbound): boolean {
    const { length } = message.payload;
    if (length > this.#limits.maxMessageBytes) {
      throw new ChannelError('MESSAGE_TOO_LARGE', `send ${length} bytes in channel ${this.name}`);
    }
    if (this.#closed !== undefined) return false;
    const othersWait = this.#waiting !== undefined && this.#waiting.size > 0;
    if (othersWait || !this.#offer(message)) {
      this.#refusedSize = length;
      return false;
    }
    this.#pump();
    return true;
  }

  async room(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closed !== undefined) throw this.#closedError();
    // Wait for as much room as the refused message needs. If any room at all were enough, a caller that alternates `room` and
    // `trySend` would spin.
    const size = this.#refusedSize;
    const isEnough = (): boolean => this.#sending.buffered.fits(size);
    const waiting = this.#waitingRoom();
    if (waiting.size === 0 && isEnough()) return;
    await waiting.wait(isEnough, signal);
  }

  close(why: Why = DONE): void {
    if (this.#closed !== undefined) return;
    this.#closed = why;
    const link = this.#link;
    this.detach();
    link?.close(why);
    this.#sending.close();
    this.#waiting?.refuseAll(this.#closedError());
    this.#options.handlers.closed?.(why);
  }

  handshake(): Handshake {
    this.#letGo();
    this.#handshakes += 1;
    const memory = { incarnation: this.#newName(), ofIncarnation: this.#other, ...this.#receiving.memory() };
    return { memory, window: this.#options.window };
  }

  attach(link: FrameLink, { memory, window }: Handshake): void {
    this.#letGo();
    if (isOlderHandshake(memory.incarnation, this.#latest)) return link.close(LATE);
    this.#latest = memory.incarnation;
    const isFirst = this.#name === undefined;
    // DECISION: ids are only meaningful between two ends that started to count in the same handshake, so each handshake has a
    // name. If the lifetime of each end were used instead, an end that has started over and whose answer was lost would take
    // new messages for old ones. (domain/README.md, "Resuming")
    if (!isFirst && memory.ofIncarnation === this.#name) {
      const fault = this.#sending.resume(memory, window);
      if (fault !== undefined) return link.close(malformed(fault));
    } else {
      this.#name = this.#newName();
      this.#other = memory.incarnation;
      this.#receiving = this.#newReceiving();
      this.#sending.restart(window);
    }
    // Closed before, or just now by a `settled` callback.
    if (this.#closed !== undefined) return link.close(this.#closed);
    this.#link = link;
    this.#linkHasRoom = true;
    this.#goOn();
    if (!isFirst) this.#options.handlers.resumed?.();
  }

  detach(link?: FrameLink): void {
    if (link !== undefined && link !== this.#link) return;
    this.#link = undefined;
    this.#linkHasRoom = false;
    this.#receiving.cut();
  }

  frame(frame: Frame): void {
    if (this.#link === undefined) return;
    if (frame.kind === 'message') return this.#received(this.#receiving.message(frame));
    if (frame.kind === 'chunk') return this.#received(this.#receiving.chunk(frame));
    if (frame.kind !== 'ack') return;
    const fault = this.#sending.acknowledge(frame.ids);
    if (fault !== undefined) this.#refuse(malformed(fault));
    this.#goOn();
  }

  hasRoom(): void {
    if (this.#link === undefined) return;
    this.#linkHasRoom = true;
    this.#goOn();
  }

  #acksSoon(): void {
    const { acks } = this.#receiving;
    if (acks >= MOST_ACKS) return this.#sendAcks();
    if (acks === 0 || this.#acksAreDue || this.#link === undefined) return;
    this.#acksAreDue = true;
    const defer = this.#options.defer ?? queueMicrotask;
    defer(() => {
      this.#acksAreDue = false;
      this.#sendAcks();
    });
  }

  #received(received: Received): void {
    if (received?.kind === 'fault') return this.#refuse({ ...received, retryAfterMs: 0 });
    if (received !== undefined) this.#hand(received, this.#receiving);
    this.#acksSoon();
  }

  #hand(
    { id, payload, target, process, key, deadline, redelivered, dropped }: MessageFrame,
    window: ReceiveWindow,
  ): void {
    const ack = (): void => {
      // If the two ends have started over since, this window is no longer in use: the sender resends the message.
      window.acknowledge(id);
      this.#acksSoon();
    };
    this.#options.handlers.message({ payload, target, process, key, deadline, redelivered, dropped, ack });
  }

  /** The other end violates the protocol. It may try again with another stream. */
  #refuse({ reason, message, retryAfterMs }: Why): void {
    const link = this.#link;
    this.detach();
    link?.close({ reason, message, retryAfterMs });
  }

  #letGo(): void {
    const link = this.#link;
    this.detach();
    link?.destroy();
  }

  #offer(message: Outbound): boolean {
    return this.#sending.offer(message, this.#options.now());
  }

  #sendAcks(): void {
    if (this.#receiving.acks === 0 || this.#link === undefined || !this.#linkHasRoom) return;
    this.#linkHasRoom = this.#link.send({ kind: 'ack', ids: this.#receiving.takeAcks() });
  }

  /** Called when a message was settled or the stream has room. Also sends the messages of callers that waited for room. */
  #goOn(): void {
    this.#sendAcks();
    do this.#pump();
    while (this.#waiting !== undefined && this.#waiting.serve() > 0);
  }

  #pump(): void {
    // Not reentrant: a frame may be acknowledged synchronously, and the acknowledgement leads back here.
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#link !== undefined && this.#linkHasRoom) {
        const frame = this.#sending.next(this.#options.now());
        if (frame === undefined) break;
        this.#linkHasRoom = this.#link.send(frame);
      }
    } finally {
      this.#pumping = false;
    }
  }

  #waitingRoom(): RoomQueue {
    this.#waiting ??= new RoomQueue();
    return this.#waiting;
  }

  #newName(): string {
    return handshakeName(this.#incarnation, this.#handshakes);
  }

  #newReceiving(): ReceiveWindow {
    const { mode, window, sha256 } = this.#options;
    return new ReceiveWindow({ lossy: mode === 'lossy', window, limits: this.#limits, sha256 });
  }

  #closedError(): ChannelError {
    const { reason, message } = this.#closed ?? DONE;
    return new ChannelError('CHANNEL_CLOSED', `send in channel ${this.name}: ${reason}${message && `, ${message}`}`);
  }
}

function malformed(message: string): Why {
  return { reason: 'malformed', message, retryAfterMs: 0 };
}
