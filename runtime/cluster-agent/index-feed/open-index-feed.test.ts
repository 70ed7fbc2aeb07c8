import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CORE, createKubeClient } from '#kit/kube';
import { FakeApiServer } from '#kit/kube/testing';
import { sleep, systemClock } from '#kit/std';
import { memoryLogger } from '#kit/telemetry/testing';
import { PATIENCE_MS } from '#testing/patience';
import { FleetWorld } from '../../../contexts/channels/testing/fleet-world.ts';
import { aKind, aSchema } from '../../../contexts/resource-index/testing/an-index.ts';
import { MemoryIndexStore } from '../../../contexts/resource-index/testing/memory-index-store.ts';
import {
  decodeFromIndexer,
  encodeToIndexer,
  IndexIntake,
} from '../../../contexts/resource-index/testing/platform-end.ts';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { openIndexFeed } from './open-index-feed.ts';

const TARGET = 'uid-one';
const SCHEMA = aSchema(aKind('v1/ConfigMap', { fields: [{ name: 'keys', path: 'data', type: 'keys' }] }));
const map = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: {},
});

it('tells through a fleetlet what is there, and after a cut only what is new', { timeout: PATIENCE_MS }, async (t) => {
  const fake = await FakeApiServer.start();
  const kube = createKubeClient({ config: fake.config });
  const store = new MemoryIndexStore([TARGET]);
  const world = new FleetWorld();
  const over = new AbortController();
  const nothing = (): void => {};
  const intake = new IndexIntake({
    store,
    agents: {
      send: (target, message, signal) =>
        world.hub.send('index', { target, key: 'index', payload: encodeToIndexer(message) }, signal),
    },
    schemaOf: async () => SCHEMA,
    observer: { applied: nothing, trouble: nothing, lost: nothing },
    clock: systemClock,
    sleep,
  });
  const heard = { hello: 0, ask: 0, delta: 0, report: 0 };
  world.hub.handle('index', {
    mode: 'reliable',
    message: (inbound) => {
      const message = decodeFromIndexer(inbound.payload) ?? assert.fail('an unknown word');
      heard[message.kind] += 1;
      intake.take({ target: inbound.target, message, bytes: inbound.payload.length, taken: () => inbound.ack() });
    },
  });
  const running = [intake.run(over.signal)];
  const fleetlet = await world.fleetlet('edge');
  const feed = openIndexFeed({ client: await fleetlet.agentOf('one'), log: memoryLogger().log, pace: { batchMs: 5 } });
  running.push(feed.serveIndex({ kube, targetUid: TARGET, targetName: 'one' }, over.signal));
  t.after(async () => {
    over.abort();
    await Promise.all(running);
    await world.close();
    await kube.close();
    await fake.close();
  });

  const names = (): string[] => [...(store.targets.get(TARGET)?.values() ?? [])].map(({ key }) => key.name).toSorted();
  const has = async (...wanted: readonly string[]): Promise<void> => {
    await eventually(wanted.join(), () => names().join() === wanted.join());
  };
  for (const name of ['a', 'b', 'c']) fake.put(CORE.configMaps, map(name));
  await has('a', 'b', 'c');
  const { hello } = heard;
  fleetlet.cut();
  fake.put(CORE.configMaps, map('d'));
  await has('a', 'b', 'c', 'd');
  await eventually('both have compared what they have', () => heard.hello > hello);
  assert.deepEqual([store.puts, store.needless, heard.ask], [4, 0, 0]);
});
