import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { memoryUsage } from 'node:process';
import { describe, test } from 'node:test';
import { type ChunkFrame, type MessageFrame, PROTOCOL_LIMITS } from './frame.ts';
import { type Received, ReceiveWindow, type ReceiveWindowOptions } from './receive-window.ts';

const LIMITS = { chunkBytes: 10, maxMessageBytes: 100, largeAtOnce: 2 };
const NO_BYTES = new Uint8Array(0);

describe('what does not keep to the protocol', () => {
  const first = small(1, 4, { key: 'a' });
  const begun = large(2, bytes(25), { key: 'b' });
  const cases: {
    why: string;
    last: MessageFrame | ChunkFrame;
    before?: (MessageFrame | ChunkFrame)[];
    want?: string;
  }[] = [
    { why: 'an id of nothing', last: small(0, 1) },
    { why: 'an id that is no number', last: small(Number.NaN, 1) },
    { why: 'a payload that should have come in chunks', last: small(1, 11) },
    { why: 'a payload and chunks', last: { ...large(1, bytes(25)), payload: bytes(1) } },
    { why: 'more than there may be', last: { ...begun, chunkedSize: 101 }, want: 'tooLarge' },
    { why: 'a chunk of nothing', last: chunk(2, 0, 10) },
    { why: 'a chunk of what is whole', before: [first], last: chunk(1, 0, 1) },
    { why: 'a chunk that leaves a gap', before: [begun], last: chunk(2, 1, 10) },
    { why: 'an empty chunk', before: [begun], last: chunk(2, 0, 0) },
    { why: 'more than was announced', before: [begun, chunk(2, 0, 20)], last: chunk(2, 20, 6) },
    { why: 'another checksum', before: [begun, chunk(2, 0, 20)], last: chunk(2, 20, 5, 8), want: 'corrupt' },
    { why: 'one that is begun twice', before: [begun], last: { ...begun, key: 'c' } },
    { why: 'the next of a key before the one before has ended', before: [begun], last: small(3, 1, { key: 'b' }) },
    { why: 'one more than the window has', before: [1, 2, 3, 4].map((id) => small(id, 1)), last: small(5, 1) },
    { why: 'more bytes than the window has', before: [small(1, 9), small(2, 9)], last: small(3, 3) },
    {
      why: 'one large one too many',
      before: [begun, large(3, bytes(25), { key: 'c' })],
      last: large(4, bytes(25), { key: 'd' }),
    },
    { why: 'a gap that is wider than the window', before: [first], last: small(7, 1) },
    { why: 'gaps that are together wider than the window', before: [small(3, 1), small(5, 1)], last: small(8, 1) },
  ];
  for (const { why, before = [], last, want = 'malformed' } of cases) {
    test(`${why} is ${want}`, () => {
      const window = open();
      for (const frame of before) assert.notEqual(take(window, frame)?.kind, 'fault');
      const found = take(window, last);
      assert.ok(found?.kind === 'fault');
      assert.equal(found.reason, want);
    });
  }
});

describe('what is allowed', () => {
  const cases = [
    { why: 'one that is larger than the window, alone', frames: [small(1, 9)], window: { messages: 4, bytes: 5 } },
    { why: 'gaps as wide as the window', frames: [small(5, 1), small(1, 1)], window: { messages: 4, bytes: 20 } },
    { why: 'another key between chunks', frames: [large(1, bytes(25), { key: 'a' }), small(2, 1), chunk(1, 0, 10)] },
    { why: 'nothing', frames: [small(1, 0)] },
  ];
  for (const { why, frames, ...options } of cases) {
    test(why, () => {
      const window = open(options);
      for (const frame of frames) assert.notEqual(take(window, frame)?.kind, 'fault');
    });
  }
});

test('a message that came in chunks is whole, and as it was', () => {
  const window = open();
  const payload = bytes(25).map((_, at) => at);
  assert.equal(take(window, large(1, payload, { key: 'a' })), undefined);
  for (const offset of [0, 10])
    assert.equal(take(window, { ...chunk(1, offset, 0), data: payload.slice(offset, offset + 10) }), undefined);
  const whole = take(window, { ...chunk(1, 20, 0), data: payload.slice(20) });
  assert.ok(whole?.kind === 'message');
  assert.deepEqual([whole.payload, whole.key], [payload, 'a']);
});

test('acknowledging makes room, once', () => {
  const window = open({ window: { messages: 1, bytes: 20 } });
  take(window, small(1, 1));
  window.acknowledge(1);
  window.acknowledge(1);
  assert.deepEqual(window.takeAcks(), [1]);
  assert.deepEqual(window.takeAcks(), []);
  assert.notEqual(take(window, small(2, 1))?.kind, 'fault');
  assert.equal(take(window, small(3, 1))?.kind, 'fault');
});

test('a cut forgets what is not whole, and its memory says the rest', () => {
  const window = open();
  for (const frame of [small(1, 1), large(2, bytes(25), { key: 'b' }), chunk(2, 0, 20), small(3, 1)])
    take(window, frame);
  window.acknowledge(1);
  window.cut();
  assert.deepEqual(window.memory(), { receivedUpTo: 1, receivedAbove: [3, 3], unacknowledged: [3] });
  for (const again of [2, 4].map((id) => large(id, bytes(25), { key: `${id}` })))
    assert.equal(take(window, again), undefined);
});

describe('what comes again', () => {
  test('is not handed out, and acknowledged again if it was', () => {
    const window = open();
    for (const id of [1, 2]) take(window, small(id, 1));
    window.acknowledge(1);
    assert.deepEqual(window.takeAcks(), [1]);
    for (const id of [1, 2]) assert.equal(take(window, small(id, 1)), undefined);
    assert.deepEqual(window.takeAcks(), [1]);
  });

  test('in chunks is let pass, and makes no room for others', () => {
    const window = open();
    for (const id of [1, 2, 3]) take(window, small(id, 1));
    for (const id of [1, 2]) assert.equal(take(window, large(id, bytes(25), { key: `${id}` })), undefined);
    assert.equal(take(window, large(3, bytes(25), { key: 'c' }))?.kind, 'fault');
    for (const offset of [0, 10, 20])
      assert.equal(take(window, chunk(1, offset, Math.min(10, 25 - offset))), undefined);
    assert.equal(take(window, chunk(1, 25, 1))?.kind, 'fault');
    assert.deepEqual(window.memory().receivedUpTo, 3);
  });
});

test('whoever announces much and sends little costs little', () => {
  const window = open({ limits: PROTOCOL_LIMITS });
  const header = { ...large(1, bytes(25)), chunkedSize: PROTOCOL_LIMITS.maxMessageBytes };
  const before = memoryUsage().arrayBuffers;
  for (let at = 0; at < 20; at += 1) {
    take(window, header);
    take(window, chunk(1, 0, 1));
    if (at < 19) window.cut();
  }
  assert.ok(memoryUsage().arrayBuffers - before < PROTOCOL_LIMITS.maxMessageBytes / 4);
});

test('a lossy channel goes on with whatever comes first on a stream, and only there', () => {
  const window = open({ lossy: true });
  take(window, small(1, 1));
  window.cut();
  assert.notEqual(take(window, small(50, 1))?.kind, 'fault');
  assert.deepEqual(window.memory().receivedUpTo, 50);
  assert.equal(take(window, small(90, 1))?.kind, 'fault');
});

function open(options: Partial<ReceiveWindowOptions> = {}): ReceiveWindow {
  return new ReceiveWindow({ lossy: false, window: { messages: 4, bytes: 20 }, limits: LIMITS, sha256, ...options });
}

function take(window: ReceiveWindow, frame: MessageFrame | ChunkFrame): Received {
  return frame.kind === 'message' ? window.message(frame) : window.chunk(frame);
}

function small(id: number, size: number, { key = '' } = {}): MessageFrame {
  const rest = {
    target: '',
    process: '',
    deadline: 0,
    redelivered: false,
    dropped: 0,
    chunkedSize: 0,
    sha256: NO_BYTES,
  };
  return { kind: 'message', id, key, payload: bytes(size), ...rest };
}

function large(id: number, payload: Uint8Array, { key = '' } = {}): MessageFrame {
  return { ...small(id, 0, { key }), chunkedSize: payload.length, sha256: sha256(payload) };
}

function chunk(id: number, offset: number, size: number, fill = 7): ChunkFrame {
  return { kind: 'chunk', id, offset, data: bytes(size, fill) };
}

function bytes(size: number, fill = 7): Uint8Array {
  return new Uint8Array(size).fill(fill);
}

function sha256(data: Uint8Array): Uint8Array {
  return createHash('sha256').update(data).digest();
}
