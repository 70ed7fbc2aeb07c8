import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  type ChannelMemory,
  type ChannelWindow,
  type ChunkFrame,
  type MessageFrame,
  PROTOCOL_LIMITS,
} from './frame.ts';
import type { Outbound, Settled } from './outbound.ts';
import { SendQueue, type SendQueueOptions } from './send-queue.ts';

const NOW = 1_000;
const WIDE: ChannelWindow = { messages: 100, bytes: 1_000_000 };
const LIMITS = { chunkBytes: 10, maxMessageBytes: 1_000, largeAtOnce: 2 };
const MIB = 1024 * 1024;

describe('turns', () => {
  test('a small message passes a large one of another key, and waits for one chunk at most', () => {
    const queue = begin({ limits: PROTOCOL_LIMITS, buffer: { messages: 10, bytes: 100 * MIB } });
    queue.offer({ payload: new Uint8Array(50 * MIB), key: 'large' }, NOW);
    assert.equal(queue.next(NOW)?.kind, 'message');
    assert.equal(queue.next(NOW)?.kind, 'chunk');
    queue.offer({ payload: bytes(5), key: 'small' }, NOW);
    assert.deepEqual([queue.next(NOW)?.kind, queue.next(NOW)?.id], ['chunk', 2]);
  });

  test('what has the same key waits until all of it is sent', () => {
    const queue = begin();
    queue.offer({ payload: bytes(25), key: 'a' }, NOW);
    queue.offer({ payload: bytes(1), key: 'a' }, NOW);
    queue.offer({ payload: bytes(1), key: 'b' }, NOW);
    assert.deepEqual(drain(queue), ['begin 1', 'message 2', 'chunk 1', 'chunk 1', 'chunk 1', 'message 3']);
  });

  test('two large ones share, chunk by chunk, and a third waits until one is acknowledged', () => {
    const queue = begin();
    for (const key of ['a', 'b', 'c', 'd']) queue.offer({ payload: bytes(20), key }, NOW);
    assert.deepEqual(drain(queue), ['begin 1', 'begin 2', 'chunk 1', 'chunk 2', 'chunk 1', 'chunk 2']);
    assert.equal(queue.acknowledge([2]), undefined);
    assert.deepEqual(drain(queue), ['begin 3', 'chunk 3', 'chunk 3']);
  });

  test('keys take turns, however many messages one of them has', () => {
    const queue = begin();
    for (const key of ['a', 'a', 'a', 'b', 'c']) queue.offer({ payload: bytes(1), key }, NOW);
    const keys = Array.from({ length: 5 }, () => (queue.next(NOW) as MessageFrame).key);
    assert.deepEqual(keys, ['a', 'b', 'c', 'a', 'a']);
  });

  test('the same key of another target is another', () => {
    const queue = begin();
    queue.offer({ payload: bytes(25), target: 'one', key: 'a' }, NOW);
    queue.offer({ payload: bytes(1), target: 'other', key: 'a' }, NOW);
    assert.deepEqual(drain(queue).slice(0, 2), ['begin 1', 'message 2']);
  });
});

describe('the window', () => {
  test('of one: the next goes when the one before is acknowledged', () => {
    const queue = begin({}, { messages: 1, bytes: 100 });
    for (const key of ['a', 'b']) queue.offer({ payload: bytes(1), key }, NOW);
    assert.deepEqual(drain(queue), ['message 1']);
    queue.acknowledge([1]);
    assert.deepEqual(drain(queue), ['message 2']);
  });

  test('of bytes: one that is larger goes alone', () => {
    const queue = begin({}, { messages: 9, bytes: 5 });
    for (const size of [8, 3, 2, 1]) queue.offer({ payload: bytes(size) }, NOW);
    assert.deepEqual(drain(queue), ['message 1']);
    queue.acknowledge([1]);
    assert.deepEqual(drain(queue), ['message 2', 'message 3']);
  });

  test("is never wider than this end's buffer: what is under way has to be remembered", () => {
    const queue = begin({ lossy: true, buffer: { messages: 3, bytes: 100 } }, { messages: 1_000_000, bytes: 1e12 });
    const sent = Array.from({ length: 10 }, () => {
      queue.offer({ payload: bytes(1) }, NOW);
      return drain(queue);
    });
    assert.deepEqual(sent.flat(), ['message 1', 'message 2', 'message 3']);
  });
});

describe('the buffer', () => {
  test('takes no more than it holds, but one that is larger than all of it', () => {
    const queue = begin({ buffer: { messages: 2, bytes: 10 } });
    assert.equal(queue.offer({ payload: bytes(50) }, NOW), true);
    assert.equal(queue.offer({ payload: bytes(1) }, NOW), false);
    drain(queue);
    queue.acknowledge([1]);
    assert.deepEqual(
      [6, 5, 4, 1].map((size) => queue.offer({ payload: bytes(size) }, NOW)),
      [true, false, true, false],
    );
    assert.deepEqual([queue.buffered.messages, queue.buffered.bytes], [2, 10]);
  });

  test('is not full of what has expired', () => {
    const queue = begin({ buffer: { messages: 2, bytes: 100 } });
    const early = told({ payload: bytes(1), deadline: NOW + 10 });
    const late = told({ payload: bytes(1), deadline: NOW + 20 });
    queue.offer(early.message, NOW);
    queue.offer(late.message, NOW);
    assert.equal(queue.offer({ payload: bytes(1) }, NOW + 9), false);
    assert.equal(queue.offer({ payload: bytes(1) }, NOW + 10), true);
    assert.equal(queue.offer({ payload: bytes(1) }, NOW + 19), false);
    assert.equal(queue.offer({ payload: bytes(1) }, NOW + 20), true);
    assert.deepEqual([early.how, late.how], [['expired'], ['expired']]);
    assert.deepEqual(drain(queue), ['message 1', 'message 2']);
  });
});

describe('deadlines', () => {
  test('what is over is not begun, and leaves no gap', () => {
    const queue = begin();
    const over = told({ payload: bytes(1), deadline: NOW + 1 });
    queue.offer(over.message, NOW);
    queue.offer({ payload: bytes(1), deadline: NOW + 2 }, NOW);
    assert.equal(queue.next(NOW + 1)?.id, 1);
    assert.deepEqual([over.how, queue.buffered.messages], [['expired'], 1]);
  });

  test('what is over when it is offered is not taken', () => {
    const queue = begin();
    const over = told({ payload: bytes(1), deadline: NOW });
    assert.equal(queue.offer(over.message, NOW), true);
    assert.deepEqual([over.how, queue.buffered.messages], [['expired'], 0]);
  });

  test('what has been begun goes on, also after a cut: its id must not be missing for ever', () => {
    const queue = begin();
    queue.offer({ payload: bytes(25), deadline: NOW + 1 }, NOW);
    queue.next(NOW);
    queue.resume(memory({}), WIDE);
    assert.deepEqual(drain(queue, NOW + 5), ['begin 1', 'chunk 1', 'chunk 1', 'chunk 1']);
  });
});

describe('after a cut', () => {
  test('only what has not been received goes again; what was acknowledged, though nobody heard it, is settled', () => {
    const queue = begin();
    const all = ['a', 'b', 'c', 'd'].map((key) => told({ payload: bytes(1), key }));
    for (const { message } of all) queue.offer(message, NOW);
    drain(queue);
    assert.equal(
      queue.resume(memory({ receivedUpTo: 1, receivedAbove: [3, 4], unacknowledged: [4] }), WIDE),
      undefined,
    );
    assert.deepEqual(
      all.map(({ how }) => how),
      [['acknowledged'], [], ['acknowledged'], []],
    );
    assert.deepEqual([queue.next(NOW), queue.next(NOW)].map(summary), ['message 2', undefined]);
    assert.equal(queue.acknowledge([2, 4]), undefined);
    assert.equal(queue.buffered.messages, 0);
  });

  test('nothing new gets an id before all that has one was begun again: so the receiver bounds what it remembers', () => {
    const queue = begin({}, { messages: 2, bytes: 100 });
    for (const key of ['new', 'old', 'old']) queue.offer({ payload: bytes(1), key }, NOW);
    assert.deepEqual(drain(queue), ['message 1', 'message 2']);
    for (const key of ['newer', 'newest']) queue.offer({ payload: bytes(1), key }, NOW);
    queue.resume(memory({}), { messages: 2, bytes: 100 });
    assert.deepEqual(new Set(drain(queue)), new Set(['message 1', 'message 2']));
    queue.acknowledge([1]);
    assert.deepEqual(drain(queue), ['message 3']);
  });

  test('one who knows nothing gets all of it, counted anew, and marked where another may have had it', () => {
    const queue = begin({}, { messages: 2, bytes: 100 });
    for (const key of ['a', 'b', 'c']) queue.offer({ payload: bytes(key === 'b' ? 25 : 1), key }, NOW);
    assert.deepEqual([queue.next(NOW), queue.next(NOW), queue.next(NOW)].map(summary), [
      'message 1',
      'begin 2',
      'chunk 2',
    ]);
    queue.restart(WIDE);
    const frames = [queue.next(NOW), queue.next(NOW), queue.next(NOW)].filter((frame) => frame?.kind === 'message');
    assert.deepEqual(Object.fromEntries(frames.map(({ key, redelivered }) => [key, redelivered])), {
      a: true,
      b: false,
      c: false,
    });
    assert.deepEqual(
      frames.map(({ id }) => id),
      [1, 2, 3],
    );
  });

  test('one who remembers what was never sent is told so, and nothing is changed', () => {
    const queue = begin();
    queue.offer({ payload: bytes(1) }, NOW);
    for (const claim of [{ receivedUpTo: 1 }, { receivedAbove: [1, 1] }]) {
      assert.match(queue.resume(memory(claim), WIDE) ?? '', /never sent/);
    }
    assert.deepEqual(drain(queue), ['message 1']);
  });
});

describe('acknowledgements', () => {
  const wrong = [
    { why: 'of what was never sent', ids: [3] },
    { why: 'of nothing', ids: [0] },
    { why: 'of what is not whole yet', ids: [2] },
  ];
  for (const { why, ids } of wrong) {
    test(`${why} are a fault`, () => {
      const queue = begin();
      queue.offer({ payload: bytes(1), key: 'a' }, NOW);
      queue.offer({ payload: bytes(25), key: 'b' }, NOW);
      queue.next(NOW);
      queue.next(NOW);
      assert.match(queue.acknowledge(ids) ?? '', /^acknowledged/);
      assert.equal(queue.buffered.messages, 2);
    });
  }

  test('that come twice are nothing', () => {
    const queue = begin();
    const one = told({ payload: bytes(1) });
    queue.offer(one.message, NOW);
    drain(queue);
    assert.equal(queue.acknowledge([1, 1]), undefined);
    assert.deepEqual(one.how, ['acknowledged']);
  });
});

describe('a lossy channel', () => {
  test('drops the oldest that was not begun, counts it, and tells with the next', () => {
    const queue = begin({ lossy: true, buffer: { messages: 2, bytes: 100 } }, { messages: 1, bytes: 100 });
    const all = [25, 1, 1, 1].map((size) => told({ payload: bytes(size) }));
    queue.offer(all[0]?.message ?? fail(), NOW);
    queue.next(NOW);
    for (const { message } of all.slice(1)) queue.offer(message, NOW);
    assert.deepEqual(
      all.map(({ how }) => how),
      [[], ['dropped'], ['dropped'], []],
    );
    drain(queue);
    queue.acknowledge([1]);
    assert.equal((queue.next(NOW) as MessageFrame).dropped, 2);
    assert.equal(queue.losses.all, 2);
  });

  test('loses the new one when the rest is on its way', () => {
    const queue = begin({ lossy: true, buffer: { messages: 1, bytes: 100 } });
    queue.offer({ payload: bytes(25) }, NOW);
    queue.next(NOW);
    const one = told({ payload: bytes(1) });
    assert.equal(queue.offer(one.message, NOW), true);
    assert.deepEqual([one.how, queue.losses.all], [['dropped'], 1]);
  });

  test('sends nothing again: what a cut has taken is lost, with the losses that it told of', () => {
    const queue = begin({ lossy: true, buffer: { messages: 1, bytes: 100 } });
    const one = told({ payload: bytes(1), key: 'lost' });
    queue.offer({ payload: bytes(1), key: 'dropped' }, NOW);
    queue.offer(one.message, NOW);
    drain(queue);
    queue.resume(memory({}), WIDE);
    queue.offer({ payload: bytes(1) }, NOW);
    const next = queue.next(NOW) as MessageFrame;
    assert.deepEqual([one.how, next.id, next.dropped, queue.losses.all], [['dropped'], 2, 2, 2]);
  });
});

test('whoever hears that his message has gone may close: what took its place is settled too', () => {
  const queue = begin({ lossy: true, buffer: { messages: 1, bytes: 100 } }, { messages: 0, bytes: 0 });
  const one = told({ payload: bytes(1) });
  queue.offer({ payload: bytes(1), settled: () => queue.close() }, NOW);
  queue.offer(one.message, NOW);
  assert.deepEqual([one.how, queue.buffered.messages], [['closed'], 0]);
});

test('closing settles all, wherever it is', () => {
  const queue = begin({}, { messages: 2, bytes: 100 });
  const all = [1, 25, 1].map((size, at) => told({ payload: bytes(size), key: `${at}` }));
  for (const { message } of all) queue.offer(message, NOW);
  queue.next(NOW);
  queue.next(NOW);
  queue.close();
  assert.deepEqual(
    all.map(({ how }) => how),
    [['closed'], ['closed'], ['closed']],
  );
  assert.deepEqual([queue.buffered.messages, queue.buffered.bytes, queue.next(NOW)], [0, 0, undefined]);
});

function begin(options: Partial<SendQueueOptions> = {}, window: ChannelWindow = WIDE): SendQueue {
  const sha256 = (data: Uint8Array): Uint8Array => createHash('sha256').update(data).digest();
  const queue = new SendQueue({ lossy: false, buffer: WIDE, limits: LIMITS, sha256, ...options });
  queue.restart(window);
  return queue;
}

function bytes(size: number): Uint8Array {
  return new Uint8Array(size).fill(7);
}

function told(message: Outbound): { readonly message: Outbound; readonly how: Settled[] } {
  const how: Settled[] = [];
  return { message: { ...message, settled: (it) => how.push(it) }, how };
}

function drain(queue: SendQueue, now = NOW): (string | undefined)[] {
  const sent: (string | undefined)[] = [];
  for (let frame = queue.next(now); frame !== undefined; frame = queue.next(now)) sent.push(summary(frame));
  return sent;
}

function summary(frame: MessageFrame | ChunkFrame | undefined): string | undefined {
  if (frame === undefined) return undefined;
  return `${frame.kind === 'message' && frame.chunkedSize > 0 ? 'begin' : frame.kind} ${frame.id}`;
}

function memory(some: Partial<ChannelMemory>): ChannelMemory {
  const nothing = { incarnation: 'b', ofIncarnation: 'a', receivedUpTo: 0, receivedAbove: [], unacknowledged: [] };
  return { ...nothing, ...some };
}

function fail(): never {
  throw new Error('there is none');
}
