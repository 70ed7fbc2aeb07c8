import { Assembly } from './assembly.ts';
import { Credit } from './credit.ts';
import type { ChannelMemory, ChannelWindow, ChunkFrame, CloseReason, MessageFrame, MessageLimits } from './frame.ts';
import { ReceivedIds } from './received-ids.ts';

export interface ReceiveWindowOptions {
  readonly lossy: boolean;
  readonly window: ChannelWindow;
  readonly limits: MessageLimits;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
}

/** The other end violates the protocol. The stream has to be closed; everything received before stays valid. */
export interface Fault {
  readonly kind: 'fault';
  readonly reason: CloseReason;
  readonly message: string;
}

/** A complete message with its payload, or nothing yet. */
export type Received = MessageFrame | Fault | undefined;

/**
 * The messages that one end of a channel receives from one incarnation of the other: each once, and never more than the window.
 */
export class ReceiveWindow {
  readonly #options: ReceiveWindowOptions;
  readonly #ids = new ReceivedIds();
  /** Received but not acknowledged: size, and whether it came in chunks. */
  readonly #held = new Map<number, { readonly size: number; readonly large: boolean }>();
  readonly #credit: Credit;
  #assemblies: Assembly[] = [];
  #acks: number[] = [];
  #streamIsNew = true;

  constructor(options: ReceiveWindowOptions) {
    this.#options = options;
    this.#credit = new Credit(options.window, options.limits.largeAtOnce);
  }

  /** The stream was cut. Incomplete messages are discarded: the sender starts them again. */
  cut(): void {
    for (const { header, unwanted } of this.#assemblies) {
      if (!unwanted) this.#credit.giveBack(header.chunkedSize, true);
    }
    this.#assemblies = [];
    this.#streamIsNew = true;
  }

  memory(): Pick<ChannelMemory, 'receivedUpTo' | 'receivedAbove' | 'unacknowledged'> {
    return {
      receivedUpTo: this.#ids.upTo,
      receivedAbove: [...this.#ids.above],
      unacknowledged: [...this.#held.keys()],
    };
  }

  message(frame: MessageFrame): Received {
    const fault = this.#malformed(frame);
    if (fault !== undefined) return fault;
    const { id, payload, chunkedSize } = frame;
    if (this.#ids.has(id)) return this.#again(frame);
    if (this.#options.lossy && this.#streamIsNew) this.#ids.skipTo(id - 1);
    this.#streamIsNew = false;
    const large = chunkedSize > 0;
    const tooMuch = this.#tooMuch(frame, large);
    if (tooMuch !== undefined) return tooMuch;
    this.#credit.take(payload.length, large);
    if (!large) return this.#hold(frame, payload.length, false);
    this.#assemblies.push(new Assembly(frame, false));
    return undefined;
  }

  chunk(frame: ChunkFrame): Received {
    const assembly = this.#assemblies.find(({ header }) => header.id === frame.id);
    if (assembly === undefined) return malformed(`a chunk of message ${frame.id}, which was not begun`);
    if (!assembly.add(frame)) return malformed(`a chunk of message ${frame.id} that does not fit where it says`);
    if (!assembly.isWhole) return undefined;
    const { header, payload, unwanted } = assembly;
    if (!unwanted && !sameBytes(this.#options.sha256(payload), header.sha256)) {
      return {
        kind: 'fault',
        reason: 'corrupt',
        message: `message ${header.id} does not match its checksum`,
      };
    }
    this.#assemblies = this.#assemblies.filter((other) => other !== assembly);
    return unwanted ? undefined : this.#hold({ ...header, payload }, payload.length, true);
  }

  /** The application has taken responsibility. An id that is not held is ignored. */
  acknowledge(id: number): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    this.#credit.giveBack(held.size, held.large);
    this.#acks.push(id);
  }

  get acks(): number {
    return this.#acks.length;
  }

  /** Takes the acknowledgements that have to be sent to the other end. */
  takeAcks(): readonly number[] {
    const acks = this.#acks;
    this.#acks = [];
    return acks;
  }

  #malformed({ id, target, key, payload, chunkedSize }: MessageFrame): Fault | undefined {
    const { chunkBytes, maxMessageBytes } = this.#options.limits;
    if (!Number.isSafeInteger(id) || id < 1) return malformed(`a message with the id ${id}`);
    if (chunkedSize > maxMessageBytes) {
      const message = `message ${id} has ${chunkedSize} bytes; the limit is ${maxMessageBytes}`;
      return { kind: 'fault', reason: 'tooLarge', message };
    }
    if (payload.length > chunkBytes) return malformed(`message ${id} is too large to come in one frame`);
    if (payload.length > 0 && chunkedSize > 0) return malformed(`message ${id} has both a payload and chunks`);
    // The sender keeps the order within a key: it finishes one message before it starts the next.
    if (this.#assemblies.some(({ header }) => header.id === id || (header.key === key && header.target === target))) {
      return malformed(`message ${id} begins before the one with the same key has ended`);
    }
    return undefined;
  }

  #tooMuch({ id, payload }: MessageFrame, large: boolean): Fault | undefined {
    const gap = this.#ids.missing + Math.max(0, id - this.#ids.highest - 1);
    if (gap > this.#options.window.messages)
      return malformed(`message ${id} arrived while ${gap} earlier ones are missing`);
    if (!this.#credit.hasPlace) return malformed(`message ${id} exceeds the window`);
    if (large && this.#credit.hasPlaceForLarge) return undefined;
    if (!large && this.#credit.hasBytes(payload.length)) return undefined;
    return malformed(`message ${id} exceeds the bytes of the window`);
  }

  /** A message that was received before. If it was acknowledged, the acknowledgement may have been lost and is sent again. */
  #again(frame: MessageFrame): Fault | undefined {
    if (!this.#held.has(frame.id)) this.#acks.push(frame.id);
    if (frame.chunkedSize === 0) return undefined;
    if (this.#assemblies.length >= this.#options.limits.largeAtOnce) {
      return malformed(`message ${frame.id} is repeated beyond the limit of large messages`);
    }
    this.#assemblies.push(new Assembly(frame, true));
    return undefined;
  }

  #hold(frame: MessageFrame, size: number, large: boolean): MessageFrame {
    this.#ids.add(frame.id);
    this.#held.set(frame.id, { size, large });
    return frame;
  }
}

function malformed(message: string): Fault {
  return { kind: 'fault', reason: 'malformed', message };
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
