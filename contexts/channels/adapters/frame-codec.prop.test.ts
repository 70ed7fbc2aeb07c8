import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { foreignText } from '#kit/std';
import { ChannelMode, CloseReason, FrameSchema } from '#protocol/proto';
import { CHANNEL_MODES, CLOSE_REASONS, type Frame } from '../domain/frame.ts';
import { decodeFrame, encodeFrame } from './frame-codec.ts';

const count = fc.oneof(fc.nat(), fc.maxSafeNat());
const id = count.filter((value) => value > 0);
const small = fc.nat({ max: 2 ** 32 - 1 });
const bytes = fc.uint8Array({ maxLength: 300 }).map((plain) => new Uint8Array(plain));
const words = fc.string({ unit: 'binary', maxLength: 40 });
const ids = fc.array(id, { maxLength: 20 });
const memory = fc.record({
  incarnation: words,
  ofIncarnation: fc.option(
    words.filter((text) => text !== ''),
    { nil: undefined },
  ),
  receivedUpTo: count,
  receivedAbove: ids,
  unacknowledged: ids,
});
const window = fc.record({ messages: fc.integer({ min: 1, max: 2 ** 32 - 1 }), bytes: id });
const constant = <const Kind extends string>(kind: Kind) => fc.constant(kind);

const byHand: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    kind: constant('message'),
    id,
    target: words,
    process: words,
    key: words,
    deadline: count,
    redelivered: fc.boolean(),
    dropped: count,
    payload: bytes,
    chunkedSize: count,
    sha256: bytes,
  }),
  fc.record({ kind: constant('chunk'), id, offset: count, data: bytes }),
  fc.record({ kind: constant('ack'), ids }),
  fc.record({ kind: constant('bytes'), data: bytes, end: fc.boolean() }),
);
const generated: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    kind: constant('open'),
    version: small,
    oldestVersion: small,
    session: words,
    channel: words,
    mode: fc.constantFrom(...CHANNEL_MODES),
    process: words,
    target: words,
    shard: small,
    shards: fc.integer({ min: 1, max: 100 }),
    memory,
    window,
    stream: words,
    ticket: bytes,
    reads: fc.boolean(),
  }),
  fc.record({ kind: constant('opened'), version: small, session: words, memory, window }),
  fc.record({
    kind: constant('close'),
    reason: fc.constantFrom(...CLOSE_REASONS),
    // Human-readable text is printable once it is decoded.
    message: words.map((text) => foreignText(text)),
    retryAfterMs: small,
  }),
  fc.record({ kind: constant('resumed') }),
  fc.record({ kind: constant('ping'), nonce: count }),
  fc.record({ kind: constant('pong'), nonce: count }),
);

suite('the frame codec', () => {
  test('what is encoded is decoded as it was', () => {
    fc.assert(
      fc.property(fc.oneof(byHand, generated), (frame) => {
        assert.deepEqual(plain(decodeFrame(encodeFrame(frame))), plain(frame));
      }),
    );
  });

  test('what is written by hand is what the generated code writes, and reads the same', () => {
    fc.assert(
      fc.property(byHand, (frame) => {
        const encoded = encodeFrame(frame);
        const read = fromBinary(FrameSchema, encoded);
        assert.deepEqual(Buffer.from(toBinary(FrameSchema, read)), Buffer.from(encoded));
        assert.deepEqual(plain(decodeFrame(toBinary(FrameSchema, read))), plain(frame));
      }),
    );
  });

  test('what a newer release adds is read past, in the frame and in what it holds', () => {
    const unknown = fc.record({ field: fc.integer({ min: 20, max: 1000 }), value: bytes, before: fc.boolean() });
    fc.assert(
      fc.property(byHand, unknown, (frame, { field, value, before }) => {
        const extra = new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(value).finish();
        const number = new BinaryWriter().tag(field, WireType.Varint).int64(-1n).tag(field, WireType.Bit64).fixed64(7n);
        const more = Buffer.concat([extra, number.tag(field, WireType.Bit32).fixed32(7).finish()]);
        const outer = before ? [more, encodeFrame(frame)] : [encodeFrame(frame), more];
        assert.deepEqual(plain(decodeFrame(Buffer.concat(outer))), plain(frame));
        assert.deepEqual(plain(decodeFrame(withinIts(encodeFrame(frame), more))), plain(frame));
      }),
    );
  });

  test('a kind of a newer release is no frame of ours, and no fault', () => {
    const frame = new BinaryWriter().tag(77, WireType.LengthDelimited).bytes(new Uint8Array(3)).finish();
    assert.equal(decodeFrame(frame), undefined);
    assert.equal(decodeFrame(new Uint8Array(0)), undefined);
  });

  test('whatever comes, it is a frame, or none, or malformed; nothing else', () => {
    const damaged = fc.tuple(fc.oneof(byHand, generated), fc.nat(), fc.nat({ max: 255 })).map(([frame, at, value]) => {
      const copy = Buffer.from(encodeFrame(frame));
      if (copy.length > 0) copy[at % copy.length] = value;
      return copy.subarray(0, at % 7 === 0 ? at % (copy.length + 1) : copy.length);
    });
    fc.assert(
      fc.property(fc.oneof(damaged, bytes), (garbage) => {
        try {
          decodeFrame(garbage);
        } catch (error) {
          assert.equal(error instanceof Error && 'code' in error && error.code, 'MALFORMED_FRAME');
        }
      }),
      { numRuns: 2_000 },
    );
  });

  const faults: readonly { why: string; bytes: Uint8Array }[] = [
    { why: 'a message without an id cannot be acknowledged', bytes: new Uint8Array([0x1a, 0]) },
    { why: 'it ends in the middle', bytes: new Uint8Array([0x1a, 9, 8, 1]) },
    { why: 'a length reaches beyond the message', bytes: new Uint8Array([0x1a, 4, 8, 1, 0x42, 90]) },
    {
      why: 'a number is larger than we can count',
      bytes: new Uint8Array([0x1a, 11, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
    },
    {
      why: 'a number is just too large to be exact',
      bytes: new Uint8Array([0x1a, 9, 8, 128, 128, 128, 128, 128, 128, 128, 16]),
    },
    { why: 'a group is not of proto3', bytes: new Uint8Array([0x1a, 3, 8, 1, 0x63]) },
    { why: 'a mode that is not known cannot be kept', bytes: opening(9) },
    { why: 'a mode has to be said', bytes: opening(ChannelMode.UNSPECIFIED) },
  ];
  for (const fault of faults) {
    test(`malformed: ${fault.why}`, () => {
      assert.throws(() => decodeFrame(fault.bytes), { code: 'MALFORMED_FRAME' });
    });
  }

  test('whoever closes for a reason that is not known may be asked again', () => {
    const frame = create(FrameSchema, {
      kind: { case: 'close', value: { reason: 99 as CloseReason, message: 'new' } },
    });
    assert.deepEqual(decodeFrame(toBinary(FrameSchema, frame)), {
      kind: 'close',
      reason: 'unavailable',
      message: 'new',
      retryAfterMs: 0,
    });
  });

  test('an acknowledgement whose ids are not packed is understood', () => {
    const inner = new BinaryWriter().tag(1, WireType.Varint).uint64(5).tag(1, WireType.Varint).uint64(7).finish();
    const frame = new BinaryWriter().tag(5, WireType.LengthDelimited).bytes(inner).finish();
    assert.deepEqual(decodeFrame(frame), { kind: 'ack', ids: [5, 7] });
  });
});

/** The frame with all byte arrays as the same type. */
function plain(frame: Frame | undefined): unknown {
  const copy = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return [...value];
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]));
  };
  return copy(frame);
}

/** Appends fields to the one message inside a frame. */
function withinIts(frame: Uint8Array, more: Uint8Array): Uint8Array {
  let at = 1;
  while ((frame[at] ?? 0) >= 0x80) at += 1;
  const inner = Buffer.concat([frame.subarray(at + 1), more]);
  return new BinaryWriter()
    .tag((frame[0] ?? 0) >> 3, WireType.LengthDelimited)
    .bytes(inner)
    .finish();
}

function opening(mode: ChannelMode | 9): Uint8Array {
  const value = { version: 1, session: 's', channel: 'control', mode: mode as ChannelMode };
  return toBinary(FrameSchema, create(FrameSchema, { kind: { case: 'open', value } }));
}
