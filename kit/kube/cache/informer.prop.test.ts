import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { FakeClock } from '#testing/fake-clock';
import { KubeError } from '../kube-error.ts';
import { ListWatchInformer } from './informer.ts';
import { CONFIG_MAPS, type ConfigMap, configMap, MemoryKube } from './testing/memory-kube.ts';
import { dropManagedFields } from './trim.ts';

const place = { resource: CONFIG_MAPS, namespace: 'here' };
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step = fc.oneof(
  { arbitrary: fc.record({ do: fc.constantFrom('create', 'update', 'delete'), name }), weight: 6 },
  { arbitrary: fc.record({ do: fc.constantFrom('cut', 'end', 'compact', 'bookmark', 'refuse', 'serve') }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.nat(5_000) }), weight: 3 },
);

/** The latest states as known from changes alone, and whether a change ever contradicted them. */
function listen(informer: ListWatchInformer<ConfigMap>) {
  const known = new Map<string, ConfigMap>();
  informer.onChange(({ old, now }) => {
    const key = now?.metadata.name ?? old?.metadata.name ?? '';
    assert.equal(known.get(key)?.metadata.uid, old?.metadata.uid, 'not what was told before');
    if (now) known.set(key, now);
    else known.delete(key);
  });
  return known;
}

test('after any writes and any faults, the cache is what a fresh list says, and so is what was told', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), async (steps, pageSize) => {
      const clock = new FakeClock();
      const kube = new MemoryKube();
      const server = kube.client();
      const never = new AbortController().signal;
      const stop = new AbortController();
      let refuse = false;
      const client = kube.client({
        before: () => (refuse ? Promise.reject(new KubeError('SERVICE_UNAVAILABLE', 'x')) : Promise.resolve()),
      });
      const deps = { client, clock, sleep: clock.sleep, random: () => 0.5 };
      const informer = new ListWatchInformer<ConfigMap>(deps, { collection: place, trim: dropManagedFields, pageSize });
      const known = listen(informer);
      const running = informer.run(stop.signal).catch(() => undefined);
      for (const it of steps) {
        if ('ms' in it) await clock.advance(it.ms);
        else if ('name' in it) await write(server, it.do, it.name, never).catch(() => undefined);
        else if (it.do === 'cut' || it.do === 'end') kube.end(it.do);
        else if (it.do === 'compact') kube.compact();
        else if (it.do === 'bookmark') kube.bookmark();
        else refuse = it.do === 'refuse';
      }
      refuse = false;
      // Pending operations start their waits before the clock advances.
      await turn();
      await clock.advance(120_000);
      await turn();
      const fresh = await server.list<ConfigMap>(place, {}, never);
      assert.deepEqual(facts(informer.cache.list()), facts(fresh.items));
      assert.deepEqual(facts([...known.values()]), facts(fresh.items));
      stop.abort();
      await running;
      assert.equal(clock.sleeping, 0);
    }),
    { numRuns: 200 },
  );
});

async function write(
  client: ReturnType<MemoryKube['client']>,
  act: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  if (act === 'create') await client.create(place, configMap(to), {}, signal);
  if (act === 'delete') await client.delete({ ...place, name: to }, {}, signal);
  if (act === 'update')
    await client.replace({ ...place, name: to }, await client.get({ ...place, name: to }, signal), {}, signal);
}

function facts(objects: readonly ConfigMap[]): string[] {
  return objects.map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`).toSorted();
}
