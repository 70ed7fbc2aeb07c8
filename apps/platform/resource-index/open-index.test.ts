import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelHandler } from '#contexts/channels';
import { encodeFromIndexer } from '#contexts/resource-index/adapters';
import { type Storage, sql } from '#kit/storage';
import { LeaseError } from '#kit/storage/leases';
import { createMetrics } from '#kit/telemetry/metrics';
import { memoryLogger } from '#kit/telemetry/testing';
import { anIndexed } from '../../../contexts/resource-index/testing/an-index.ts';
import { alteredStorage } from '../../../kit/storage/outbox/testing/altered-storage.ts';
import { accessServer } from '../testing/access-server.ts';
import { FakeLeadership } from '../testing/fake-leadership.ts';
import { openIndex } from './open-index.ts';

test('what agents send is stored by the replica that they are connected to, and dropped once another one has led', async (t) => {
  const { ask, storage } = await accessServer(t);
  const { body } = await ask('POST /v1/targets', 201, { name: 'a', type: 'kubernetes', workspace: 'root' });
  let isOver = false;
  const led: Storage = alteredStorage(storage, {
    write: async (work, signal) => {
      if (!isOver) return await storage.write(work, signal);
      leadership.set(true);
      throw new LeaseError('EPOCH_ENDED', 'write');
    },
  });
  const leadership: FakeLeadership = new FakeLeadership(true, led);
  const handlers = new Map<string, ChannelHandler>();
  const { log, lines } = memoryLogger();
  const index = openIndex({
    storage,
    leadership,
    hub: { handle: (name, handler) => void handlers.set(name, handler), send: async () => {}, sessions: () => [] },
    metrics: createMetrics(),
    setAside: ({ error }) => assert.fail(String(error)),
    log,
  });
  const over = new AbortController();
  const running = index.runnables
    .filter(({ name }) => name === 'index intake')
    .map((runnable) => runnable.run(over.signal));
  t.after(async () => {
    over.abort();
    index.close();
    await Promise.all(running);
  });
  const send = async (name: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const payload = encodeFromIndexer({ kind: 'delta', put: [anIndexed(name)], deleted: [], droppedTypes: [] });
    type Message = Parameters<ChannelHandler['message']>[0];
    const message = { target: String(body.uid), payload, ack: resolve } as unknown as Message;
    handlers.get('index')?.message(message, {} as Parameters<ChannelHandler['message']>[1]);
    await promise;
  };
  const names = async (): Promise<readonly string[]> => {
    const rows = await storage.all<{ name: string }>(sql`SELECT name FROM index_objects ORDER BY name`, t.signal);
    return rows.map(({ name }) => name);
  };

  await send('first');
  assert.deepEqual(await names(), ['first']);
  isOver = true;
  await send('late');
  assert.deepEqual(await names(), ['first']);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['index update from agent dropped: another replica takes fleetlets'],
  );
  isOver = false;
  await send('next');
  assert.deepEqual(await names(), ['first', 'next']);
});
