import { createHash } from 'node:crypto';
import type { Inbound, LinkedChannel, LinkedChannelOptions } from '../../application/channel.ts';
import type { FrameLink, Handshake } from '../../application/link.ts';
import { createReliableChannel } from '../../application/reliable-channel.ts';
import type { AckFrame, CloseFrame, Frame, MessageFrame } from '../../domain/frame.ts';

const WIDE = { messages: 100, bytes: 10_000 };
/** The handshake of an end that does not know the other. */
export const STRANGER: Handshake = {
  memory: { incarnation: 'them', ofIncarnation: undefined, receivedUpTo: 0, receivedAbove: [], unacknowledged: [] },
  window: WIDE,
};

export class RecordingLink implements FrameLink {
  readonly peer = { address: '', headers: {}, certificate: undefined };
  readonly sent: Frame[] = [];
  hasRoom = true;
  destroyed = false;
  closed: Omit<CloseFrame, 'kind'> | undefined;
  deliver: ((frame: Frame) => void) | undefined;

  send(frame: Frame): boolean {
    this.sent.push(frame);
    this.deliver?.(frame);
    return this.hasRoom;
  }

  pause(): void {}

  resume(): void {}

  close(why: Omit<CloseFrame, 'kind'>): void {
    this.closed = why;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

interface End {
  readonly channel: LinkedChannel;
  readonly inbound: Inbound[];
  readonly ended: string[];
  resumed: number;
  link: RecordingLink;
  /** The payload of a message sent in one frame. */
  texts(): string[];
}

let lives = 0;

export function end(options: Partial<LinkedChannelOptions> = {}, window = WIDE): End {
  const channel = createReliableChannel({
    name: 'test',
    mode: 'reliable',
    handlers: {
      message: (message) => it.inbound.push(message),
      resumed: () => {
        it.resumed += 1;
      },
      closed: ({ reason }) => it.ended.push(reason),
    },
    window,
    buffer: WIDE,
    newIncarnation: () => {
      lives += 1;
      return `life-${lives}`;
    },
    now: () => 1_000,
    sha256,
    ...options,
  });
  const it: End = {
    channel,
    inbound: [],
    ended: [],
    resumed: 0,
    link: new RecordingLink(),
    texts: () => it.link.sent.flatMap((frame) => (frame.kind === 'message' ? [textOf(frame.payload)] : [])),
  };
  return it;
}

export function attached(it: End): void {
  it.channel.handshake();
  it.channel.attach(it.link, STRANGER);
}

interface Pair {
  /** Delivers everything in flight, and everything that follows from it. */
  readonly settle: () => Promise<void>;
  readonly connect: () => void;
}

/** Two ends whose frames are in flight until `settle`. */
export function pair(options: Partial<LinkedChannelOptions> = {}): Pair & { readonly one: End; readonly other: End } {
  const one = end(options);
  const other = end(options);
  return { one, other, ...join(one, other) };
}

export function join(one: End, other: End): Pair {
  const underWay: (() => void)[] = [];
  const connect = (): void => {
    one.link = new RecordingLink();
    other.link = new RecordingLink();
    one.link.deliver = (frame) => underWay.push(() => other.channel.frame(frame));
    other.link.deliver = (frame) => underWay.push(() => one.channel.frame(frame));
    const [ours, theirs] = [one.channel.handshake(), other.channel.handshake()];
    other.channel.attach(other.link, ours);
    one.channel.attach(one.link, theirs);
  };
  const settle = async (): Promise<void> => {
    do {
      for (const deliver of underWay.splice(0)) deliver();
      await ticks();
    } while (underWay.length > 0);
  };
  connect();
  return { settle, connect };
}

/** Waits until all microtasks are done. */
export async function ticks(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

export function textOf(payload: Uint8Array): string {
  return Buffer.from(payload).toString();
}

export function message(id: number, text: string): MessageFrame {
  const rest = { target: '', process: '', deadline: 0, redelivered: false, dropped: 0, chunkedSize: 0 };
  return { kind: 'message', id, key: '', payload: Buffer.from(text), sha256: new Uint8Array(0), ...rest };
}

export function chunk(id: number, data: string | Buffer): Frame {
  return { kind: 'chunk', id, offset: 0, data: Buffer.from(data) };
}

export function ack(id: number): AckFrame {
  return { kind: 'ack', ids: [id] };
}

export function sha256(data: Uint8Array): Uint8Array {
  return createHash('sha256').update(data).digest();
}
