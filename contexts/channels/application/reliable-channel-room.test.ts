import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChannelError } from '../domain/channel-error.ts';
import { ack, attached, end, message, ticks } from '../testing/reliable-channel/two-ends.ts';
import type { Settled } from './channel.ts';

const SIGNAL = new AbortController().signal;

describe('room', () => {
  test('send waits for it, in the order of asking, and nobody overtakes', async () => {
    const it = end({ buffer: { messages: 1, bytes: 100 } });
    attached(it);
    const done: string[] = [];
    const send = async (name: string): Promise<void> => {
      await it.channel.send({ payload: Buffer.from(name) }, SIGNAL);
      done.push(name);
    };
    await send('a');
    const waiting = ['b', 'c'].map(send);
    assert.equal(it.channel.trySend({ payload: Buffer.from('d') }), false);
    it.channel.frame(ack(1));
    await waiting[0];
    assert.equal(it.channel.trySend({ payload: Buffer.from('d') }), false);
    it.channel.frame(ack(2));
    await waiting[1];
    assert.deepEqual(
      [done, it.texts()],
      [
        ['a', 'b', 'c'],
        ['a', 'b', 'c'],
      ],
    );
  });

  test('one that is small enough does not pass one that waits because it is not', async () => {
    const it = end({ buffer: { messages: 9, bytes: 10 } });
    attached(it);
    for (const text of ['1234', '5678']) it.channel.trySend({ payload: Buffer.from(text) });
    const waiting = ['large', '1'].map((text) => it.channel.send({ payload: Buffer.from(text) }, SIGNAL));
    assert.equal(it.channel.trySend({ payload: Buffer.from('2') }), false);
    it.channel.frame({ kind: 'ack', ids: [] });
    assert.deepEqual(it.texts(), ['1234', '5678']);
    it.channel.frame(ack(1));
    await Promise.all(waiting);
    assert.deepEqual(it.texts(), ['1234', '5678', 'large', '1']);
  });

  test('whoever gives up waiting sends nothing, and keeps nobody', async () => {
    const it = end({ buffer: { messages: 1, bytes: 100 } });
    attached(it);
    const patience = new AbortController();
    it.channel.trySend({ payload: Buffer.from('a') });
    const impatient = it.channel.send({ payload: Buffer.from('b') }, patience.signal);
    const patient = it.channel.send({ payload: Buffer.from('c') }, SIGNAL);
    patience.abort(new Error('enough'));
    await assert.rejects(impatient, /enough/);
    it.channel.frame(ack(1));
    await patient;
    assert.deepEqual(it.texts(), ['a', 'c']);
  });

  test('is there when what was refused fits, not before', async () => {
    const it = end({ buffer: { messages: 9, bytes: 10 } });
    attached(it);
    for (const text of ['1234', '5678']) it.channel.trySend({ payload: Buffer.from(text) });
    const message = { payload: Buffer.from('abcde') };
    assert.equal(it.channel.trySend(message), false);
    let told = false;
    const room = it.channel.room(SIGNAL).then(() => {
      told = true;
    });
    await ticks();
    assert.equal(told, false);
    it.channel.frame(ack(1));
    await room;
    assert.equal(it.channel.trySend(message), true);
  });

  test('comes also from what has expired', async () => {
    let now = 1_000;
    const it = end({ buffer: { messages: 1, bytes: 100 }, now: () => now });
    it.channel.trySend({ payload: Buffer.from('over'), deadline: 1_001 });
    const waiting = it.channel.send({ payload: Buffer.from('next') }, SIGNAL);
    const room = it.channel.room(SIGNAL);
    now = 1_001;
    attached(it);
    await waiting;
    it.channel.frame(ack(1));
    await room;
    assert.deepEqual(it.texts(), ['next']);
  });

  test('of the stream: nothing is sent while there is none, and acknowledgements are first', async () => {
    const it = end();
    it.link.hasRoom = false;
    attached(it);
    it.channel.trySend({ payload: Buffer.from('a') });
    it.channel.trySend({ payload: Buffer.from('b') });
    it.channel.frame(message(1, 'hello'));
    it.inbound[0]?.ack();
    await ticks();
    assert.deepEqual(
      it.link.sent.map(({ kind }) => kind),
      ['message'],
    );
    it.link.hasRoom = true;
    it.channel.hasRoom();
    assert.deepEqual(
      it.link.sent.map(({ kind }) => kind),
      ['message', 'ack', 'message'],
    );
  });
});

describe('the end', () => {
  test('settles all, refuses those who wait, tells the other end and the owner, once', async () => {
    const it = end({ buffer: { messages: 2, bytes: 100 } }, { messages: 1, bytes: 100 });
    attached(it);
    const settled: Settled[] = [];
    for (const text of ['a', 'b'])
      it.channel.trySend({ payload: Buffer.from(text), settled: (how) => settled.push(how) });
    const waiting = it.channel.send({ payload: Buffer.from('c') }, SIGNAL);
    const room = it.channel.room(SIGNAL);
    it.channel.close({ reason: 'revoked', message: 'not yours any more', retryAfterMs: 0 });
    it.channel.close();
    await assert.rejects(waiting, { code: 'CHANNEL_CLOSED' });
    await assert.rejects(room, { code: 'CHANNEL_CLOSED' });
    assert.deepEqual(settled, ['closed', 'closed']);
    assert.deepEqual([it.link.closed?.reason, it.ended], ['revoked', ['revoked']]);
  });

  test('is for good', async () => {
    const it = end();
    it.channel.close();
    assert.equal(it.channel.trySend({ payload: Buffer.from('a') }), false);
    await assert.rejects(it.channel.send({ payload: Buffer.from('a') }, SIGNAL), ChannelError);
    await assert.rejects(it.channel.room(SIGNAL), { code: 'CHANNEL_CLOSED' });
    attached(it);
    assert.equal(it.link.closed?.reason, 'done');
  });

  test('may come from whoever is told that his message is settled', () => {
    const it = end();
    attached(it);
    for (const text of ['a', 'b'])
      it.channel.trySend({ payload: Buffer.from(text), settled: () => it.channel.close() });
    it.channel.frame({ kind: 'ack', ids: [1, 2] });
    assert.deepEqual([it.ended, it.channel.buffered.messages], [['done'], 0]);
  });
});
