import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Frame, MessageFrame } from '../domain/frame.ts';
import {
  chunk,
  end,
  join,
  message,
  pair,
  RecordingLink,
  STRANGER,
  sha256,
  textOf,
} from '../testing/reliable-channel/two-ends.ts';
import type { Settled } from './channel.ts';

const SIGNAL = new AbortController().signal;
describe('between two ends', () => {
  test('messages arrive, are acknowledged, and the acknowledgements of a moment go together', async () => {
    const { one, other, settle } = pair();
    const settled: Settled[] = [];
    for (const key of ['a', 'b', 'c']) {
      one.channel.trySend({
        payload: Buffer.from(key),
        target: 't',
        process: 'p',
        key,
        settled: (how) => settled.push(how),
      });
    }
    await settle();
    assert.deepEqual(
      other.inbound.map(({ key, payload }) => [key, textOf(payload)]),
      [
        ['a', 'a'],
        ['b', 'b'],
        ['c', 'c'],
      ],
    );
    assert.deepEqual([other.inbound[0]?.target, other.inbound[0]?.process, settled], ['t', 'p', []]);
    for (const message of other.inbound) message.ack();
    await settle();
    assert.deepEqual(settled, ['acknowledged', 'acknowledged', 'acknowledged']);
    assert.deepEqual(
      other.link.sent.filter((frame) => frame.kind === 'ack'),
      [{ kind: 'ack', ids: [1, 2, 3] }],
    );
  });

  test('50 MiB arrive as they were, and a small message is not held up', async () => {
    const buffer = { messages: 100, bytes: 100 * 1024 * 1024 };
    const { one, other, settle } = pair({ buffer });
    const payload = Buffer.alloc(50 * 1024 * 1024, 'abcdefg');
    one.link.hasRoom = false;
    one.channel.trySend({ payload, key: 'large' });
    one.channel.trySend({ payload: Buffer.from('small'), key: 'small' });
    one.link.hasRoom = true;
    one.channel.hasRoom();
    await settle();
    assert.deepEqual(
      other.inbound.map(({ key }) => key),
      ['small', 'large'],
    );
    assert.ok(payload.equals(other.inbound[1]?.payload ?? Buffer.alloc(0)));
  });

  test('resumed is told after a cut, not at first, and nothing is handed out twice', async () => {
    const { one, other, settle, connect } = pair();
    one.channel.trySend({ payload: Buffer.from('held') });
    await settle();
    assert.deepEqual([one.resumed, other.resumed], [0, 0]);
    connect();
    await settle();
    assert.deepEqual([one.resumed, other.resumed, other.inbound.length], [1, 1, 1]);
    other.inbound[0]?.ack();
    await settle();
    assert.equal(one.channel.buffered.messages, 0);
  });

  test('what was held of an end that has died is acknowledged to nobody', async () => {
    const first = pair();
    first.one.channel.trySend({ payload: Buffer.from('of the dead') });
    await first.settle();
    const heir = end();
    const { settle } = join(heir, first.other);
    heir.channel.trySend({ payload: Buffer.from('of the heir') });
    await settle();
    first.other.inbound[0]?.ack();
    await settle();
    assert.equal(heir.channel.buffered.messages, 1);
    first.other.inbound[1]?.ack();
    await settle();
    assert.equal(heir.channel.buffered.messages, 0);
  });
});

describe('an end that meets another that does not keep to the protocol', () => {
  const cases: { why: string; frame: Frame; want: string }[] = [
    { why: 'an acknowledgement of what was never sent', frame: { kind: 'ack', ids: [2] }, want: 'malformed' },
    { why: 'a chunk of no message', frame: chunk(9, 'x'), want: 'malformed' },
    { why: 'a gap beyond the window', frame: message(200, ''), want: 'malformed' },
    { why: 'too large', frame: { ...message(1, ''), chunkedSize: 2 ** 40 }, want: 'tooLarge' },
  ];
  for (const { why, frame, want } of cases) {
    test(`closes the stream as ${want}, and keeps what it has: ${why}`, () => {
      const it = end();
      it.channel.handshake();
      it.channel.attach(it.link, STRANGER);
      it.channel.trySend({ payload: Buffer.from('mine') });
      it.channel.frame(frame);
      assert.equal(it.link.closed?.reason, want);
      assert.equal(it.channel.buffered.messages, 1);
      it.channel.frame(message(1, 'too late'));
      assert.deepEqual(it.inbound, []);
      const { memory } = it.channel.handshake();
      const next = new RecordingLink();
      it.channel.attach(next, { ...STRANGER, memory: { ...STRANGER.memory, ofIncarnation: memory.incarnation } });
      assert.equal((next.sent[0] as MessageFrame).id, 1);
    });
  }

  test('closes a stream with one who remembers what was never sent', () => {
    const it = end();
    const { memory } = it.channel.handshake();
    it.channel.attach(new RecordingLink(), STRANGER);
    it.channel.handshake();
    it.channel.attach(it.link, {
      ...STRANGER,
      memory: { ...STRANGER.memory, ofIncarnation: memory.incarnation, receivedUpTo: 5 },
    });
    assert.equal(it.link.closed?.reason, 'malformed');
  });

  test('closes the stream as corrupt when a checksum is wrong, and takes the message with the next', () => {
    const it = end();
    const theirs = it.channel.handshake().memory.incarnation;
    it.channel.attach(it.link, STRANGER);
    const payload = Buffer.alloc(70_000, 'x');
    const header: MessageFrame = { ...message(1, ''), chunkedSize: payload.length, sha256: sha256(payload) };
    it.channel.frame(header);
    it.channel.frame(chunk(1, Buffer.alloc(70_000, 'y')));
    assert.deepEqual([it.link.closed?.reason, it.inbound.length], ['corrupt', 0]);
    assert.equal(it.channel.handshake().memory.receivedUpTo, 0);
    it.channel.attach(new RecordingLink(), { ...STRANGER, memory: { ...STRANGER.memory, ofIncarnation: theirs } });
    it.channel.frame(header);
    it.channel.frame(chunk(1, payload));
    assert.equal(it.inbound.length, 1);
  });
});

describe('handshakes', () => {
  test('an answer that was lost does not make one end count where the other has begun anew', async () => {
    const { one, other, settle } = pair();
    one.channel.trySend({ payload: Buffer.from('first') });
    await settle();
    // Another end attaches, then the first one again, which does not receive the answer.
    other.channel.handshake();
    other.channel.attach(new RecordingLink(), STRANGER);
    const lost = one.channel.handshake();
    other.channel.handshake();
    other.channel.attach(new RecordingLink(), lost);
    const again = join(one, other);
    one.channel.trySend({ payload: Buffer.from('second') });
    await again.settle();
    assert.deepEqual(
      other.inbound.map(({ payload, redelivered }) => [textOf(payload), redelivered]),
      [
        ['first', false],
        ['first', true],
        ['second', false],
      ],
    );
  });

  test('one that comes after a later one of the same life is refused, and changes nothing', async () => {
    const { one, other, settle, connect } = pair();
    const late = one.channel.handshake();
    connect();
    one.channel.trySend({ payload: Buffer.from('first') });
    await settle();
    const stale = new RecordingLink();
    other.channel.handshake();
    other.channel.attach(stale, late);
    assert.equal(stale.closed?.reason, 'superseded');
    connect();
    await settle();
    assert.deepEqual([other.inbound.length, other.channel.handshake().memory.receivedUpTo], [1, 1]);
  });

  test('a stream that is attached is destroyed by the next, and its end does not end that', () => {
    const it = end();
    it.channel.handshake();
    it.channel.attach(it.link, STRANGER);
    it.channel.handshake();
    assert.equal(it.link.destroyed, true);
    const next = new RecordingLink();
    it.channel.attach(next, STRANGER);
    it.channel.detach(it.link);
    it.channel.trySend({ payload: Buffer.from('x') });
    assert.equal(next.sent.length, 1);
  });
});

test('what is larger than any message may be is refused at once', async () => {
  const it = end({ limits: { chunkBytes: 10, maxMessageBytes: 20, largeAtOnce: 2 } });
  await assert.rejects(it.channel.send({ payload: Buffer.alloc(21) }, SIGNAL), { code: 'MESSAGE_TOO_LARGE' });
  assert.equal(it.channel.trySend({ payload: Buffer.alloc(20) }), true);
});
