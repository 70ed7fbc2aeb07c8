import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LinkedChannel } from './channel.ts';
import { createReliableChannel } from './reliable-channel.ts';
import { createShardedChannel } from './sharded-channel.ts';

const SIGNAL = new AbortController().signal;

describe('a channel over several streams', () => {
  test('sends what has the same key over the same, and uses all of them', () => {
    const { shards, channel } = sharded({ shards: 4, messages: 100 });
    for (let at = 0; at < 64; at += 1) channel.trySend({ payload: new Uint8Array(1), key: `key-${at}` });
    const once = counts(shards);
    assert.ok(
      once.every((count) => count > 4),
      once.join(),
    );
    for (let at = 0; at < 64; at += 1)
      channel.trySend({ payload: new Uint8Array(1), key: `key-${at}`, target: 'another' });
    assert.deepEqual(
      counts(shards),
      once.map((count) => 2 * count),
    );
    assert.deepEqual(channel.buffered, { messages: 128, bytes: 128, dropped: 0 });
  });

  test('sends what has no key by its target', () => {
    const { shards, channel } = sharded({ shards: 4, messages: 100 });
    for (let at = 0; at < 64; at += 1) channel.trySend({ payload: new Uint8Array(1), target: `target-${at}` });
    assert.ok(counts(shards).every((count) => count > 4));
  });

  test('has room when all have', async () => {
    const { channel } = sharded({ shards: 2, messages: 1 });
    const keys = Array.from({ length: 8 }, (_, at) => `key-${at}`);
    assert.equal(keys.filter((key) => channel.trySend({ payload: new Uint8Array(1), key })).length, 2);
    await assert.rejects(channel.room(AbortSignal.abort(new Error('still full'))), /still full/);
    channel.close();
    await assert.rejects(channel.room(SIGNAL), { code: 'CHANNEL_CLOSED' });
  });

  test('is closed with all of them', async () => {
    const { channel, closed } = sharded({ shards: 3, messages: 1 });
    channel.close({ reason: 'draining', message: '', retryAfterMs: 0 });
    assert.deepEqual(closed, ['draining', 'draining', 'draining']);
    await assert.rejects(channel.send({ payload: new Uint8Array(1) }, SIGNAL), { code: 'CHANNEL_CLOSED' });
  });

  test('has at least one', () => {
    assert.throws(() => createShardedChannel([]), RangeError);
  });
});

function sharded({ shards: count, messages }: { shards: number; messages: number }) {
  const closed: string[] = [];
  const shards = Array.from({ length: count }, (_, at) =>
    createReliableChannel({
      name: 'test',
      mode: 'reliable',
      handlers: { message: () => {}, closed: ({ reason }) => closed.push(reason) },
      window: { messages: 10, bytes: 1_000 },
      buffer: { messages, bytes: 1_000 },
      newIncarnation: () => `life-${at}`,
      now: () => 1_000,
      sha256: (bytes) => bytes,
    }),
  );
  return { shards, closed, channel: createShardedChannel(shards) };
}

function counts(shards: readonly LinkedChannel[]): number[] {
  return shards.map(({ buffered }) => buffered.messages);
}
