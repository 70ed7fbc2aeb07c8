import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { foreignText } from '#kit/std';
import {
  FrameSchema,
  type Memory,
  type Window,
  ChannelMode as WireMode,
  CloseReason as WireReason,
} from '#protocol/proto';
import type {
  AckFrame,
  BytesFrame,
  ChannelMemory,
  ChannelMode,
  ChannelWindow,
  ChunkFrame,
  CloseReason,
  Frame,
  MessageFrame,
} from '../domain/frame.ts';
import { encodeAck, encodeBytes, encodeChunk, encodeMessage, READ_BY_HAND } from './frames-by-hand.ts';
import { malformed, WireReader } from './wire.ts';

export function encodeFrame(frame: Frame): Uint8Array {
  switch (frame.kind) {
    case 'message':
      return encodeMessage(frame);
    case 'chunk':
      return encodeChunk(frame);
    case 'ack':
      return encodeAck(frame);
    case 'bytes':
      return encodeBytes(frame);
    case 'open':
    case 'opened':
    case 'close':
    case 'resumed':
    case 'ping':
    case 'pong':
      return toBinary(FrameSchema, create(FrameSchema, { kind: wireKind(frame) }));
  }
}

/** `undefined` for a kind that only a newer release knows. Throws `MALFORMED_FRAME`. */
export function decodeFrame(bytes: Uint8Array): Frame | undefined {
  const reader = new WireReader(bytes);
  let frame: Frame | undefined;
  while (reader.next()) {
    const read = READ_BY_HAND[reader.field];
    if (read) frame = reader.within(read);
    else if (GENERATED.has(reader.field)) return decodeOther(bytes);
    else reader.skip();
  }
  return frame;
}

type OtherFrame = Exclude<Frame, MessageFrame | ChunkFrame | AckFrame | BytesFrame>;
type WireKind = NonNullable<MessageInitShape<typeof FrameSchema>['kind']>;

function wireKind(frame: OtherFrame): WireKind {
  switch (frame.kind) {
    case 'open': {
      const { kind, mode, memory, window, ticket, ...same } = frame;
      const rest = { mode: WIRE_MODES[mode], memory: wireMemory(memory), window: wireWindow(window) };
      return { case: kind, value: { ...same, ...rest, ticket: Uint8Array.from(ticket) } };
    }
    case 'opened': {
      const { kind, version, session, memory, window } = frame;
      return { case: kind, value: { version, session, memory: wireMemory(memory), window: wireWindow(window) } };
    }
    case 'close': {
      const { kind, reason, message, retryAfterMs } = frame;
      return { case: kind, value: { reason: WIRE_REASONS[reason], message, retryAfterMs } };
    }
    case 'resumed':
      return { case: 'resumed', value: {} };
    case 'ping':
    case 'pong':
      return { case: frame.kind, value: { nonce: BigInt(frame.nonce) } };
  }
}

/** The message is logged, and shown to users. */
const LONGEST_WHY = 1_024;

function decodeOther(bytes: Uint8Array): Frame | undefined {
  let kind: ReturnType<typeof fromBinary<typeof FrameSchema>>['kind'];
  try {
    ({ kind } = fromBinary(FrameSchema, bytes));
  } catch (error) {
    throw malformed('not a frame of the protocol', error);
  }
  switch (kind.case) {
    case 'open': {
      const { version, oldestVersion, session, channel, mode, process, target, shard, shards, stream } = kind.value;
      const names = { session, channel, process, target, stream };
      return {
        kind: 'open',
        version,
        oldestVersion,
        ...names,
        mode: modeOf(mode),
        shard,
        shards: Math.max(1, shards),
        memory: memoryOf(kind.value.memory),
        window: windowOf(kind.value.window),
        ticket: kind.value.ticket,
        reads: kind.value.reads,
      };
    }
    case 'opened': {
      const { version, session, memory, window } = kind.value;
      return { kind: 'opened', version, session, memory: memoryOf(memory), window: windowOf(window) };
    }
    case 'close': {
      const { reason, message, retryAfterMs } = kind.value;
      return { kind: 'close', reason: reasonOf(reason), message: foreignText(message, LONGEST_WHY), retryAfterMs };
    }
    case 'resumed':
      return { kind: 'resumed' };
    case 'ping':
    case 'pong':
      return { kind: kind.case, nonce: exact(kind.value.nonce) };
    case undefined:
      return undefined;
    case 'message':
    case 'chunk':
    case 'ack':
    case 'bytes':
      throw malformed('the frame has several kinds');
  }
}

function wireMemory({ incarnation, ofIncarnation = '', ...received }: ChannelMemory) {
  return {
    incarnation,
    ofIncarnation,
    receivedUpTo: BigInt(received.receivedUpTo),
    receivedAbove: received.receivedAbove.map(BigInt),
    unacknowledged: received.unacknowledged.map(BigInt),
  };
}

function memoryOf(memory: Memory | undefined): ChannelMemory {
  return {
    incarnation: memory?.incarnation ?? '',
    ofIncarnation: memory?.ofIncarnation || undefined,
    receivedUpTo: exact(memory?.receivedUpTo ?? 0n),
    receivedAbove: memory?.receivedAbove.map(exact) ?? [],
    unacknowledged: memory?.unacknowledged.map(exact) ?? [],
  };
}

function wireWindow({ messages, bytes }: ChannelWindow) {
  return { messages, bytes: BigInt(bytes) };
}

/** Default: one message at a time. */
function windowOf(window: Window | undefined): ChannelWindow {
  return { messages: Math.max(1, window?.messages ?? 1), bytes: Math.max(1, exact(window?.bytes ?? 1n)) };
}

function exact(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw malformed('a number is too large');
  return Number(value);
}

function modeOf(mode: WireMode): ChannelMode {
  const known = MODES.get(mode);
  if (!known) throw malformed(`a channel has the mode ${mode}`);
  return known;
}

/** An unknown reason, from a newer release, counts as `unavailable`, so that the peer returns. */
function reasonOf(reason: WireReason): CloseReason {
  return REASONS.get(reason) ?? 'unavailable';
}

const GENERATED: ReadonlySet<number> = new Set(FrameSchema.fields.map((field) => field.number));

const WIRE_MODES = {
  reliable: WireMode.RELIABLE,
  lossy: WireMode.LOSSY,
  bytes: WireMode.BYTES,
} as const satisfies Record<ChannelMode, WireMode>;

const WIRE_REASONS = {
  done: WireReason.DONE,
  draining: WireReason.DRAINING,
  superseded: WireReason.SUPERSEDED,
  unauthenticated: WireReason.UNAUTHENTICATED,
  forbidden: WireReason.FORBIDDEN,
  unknownChannel: WireReason.UNKNOWN_CHANNEL,
  unknownTarget: WireReason.UNKNOWN_TARGET,
  version: WireReason.VERSION,
  malformed: WireReason.MALFORMED,
  tooLarge: WireReason.TOO_LARGE,
  tooMany: WireReason.TOO_MANY,
  revoked: WireReason.REVOKED,
  unavailable: WireReason.UNAVAILABLE,
  corrupt: WireReason.CORRUPT,
} as const satisfies Record<CloseReason, WireReason>;

const MODES: ReadonlyMap<number, ChannelMode> = inverse(WIRE_MODES);
const REASONS: ReadonlyMap<number, CloseReason> = inverse(WIRE_REASONS);

function inverse<Name extends string>(numbers: Readonly<Record<Name, number>>): ReadonlyMap<number, Name> {
  const names = Object.keys(numbers) as Name[];
  return new Map(names.map((name) => [numbers[name], name]));
}
