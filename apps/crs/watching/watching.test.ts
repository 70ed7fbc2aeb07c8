import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { createMetrics } from '#kit/telemetry/metrics';
import { CrsProcessError } from '../crs-process-error.ts';
import type { PlainListener } from './plain-listener.ts';
import { openWatching, type WatchingDeps } from './watching.ts';

const ANY = { host: '127.0.0.1', port: 0 };

async function stage(t: TestContext, deps: Partial<WatchingDeps>): Promise<readonly PlainListener[]> {
  const all = {
    metricsListen: undefined,
    healthListen: undefined,
    metrics: createMetrics(),
    whyUnready: () => undefined,
  };
  const listeners = await openWatching({ ...all, ...deps });
  const stop = new AbortController();
  const running = Promise.all(listeners.map(async (listener) => await listener.run(stop.signal)));
  t.after(async () => {
    stop.abort();
    await running;
  });
  return listeners;
}

async function statusOf(listener: PlainListener | undefined, path: string, method = 'GET'): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${listener?.address.port}${path}`, { method });
  await answer.text();
  return answer.status;
}

suite('what a process shows of itself', () => {
  test('nothing, unless it is asked to', async (t) => assert.deepEqual(await stage(t, {}), []));

  test('on one address when both are the same', async (t) => {
    const listeners = await stage(t, { metricsListen: ANY, healthListen: ANY });
    assert.equal(listeners.length, 1);
    const statuses = await Promise.all(
      ['/metrics', '/healthz', '/readyz', '/', '/toString'].map((path) => statusOf(listeners[0], path)),
    );
    assert.deepEqual(statuses, [200, 200, 200, 404, 404]);
    assert.equal(await statusOf(listeners[0], '/healthz', 'POST'), 404);
  });

  test('on two otherwise, each its own', async (t) => {
    const [metrics, health] = await stage(t, { metricsListen: ANY, healthListen: { host: 'localhost', port: 0 } });
    assert.deepEqual([await statusOf(metrics, '/metrics'), await statusOf(metrics, '/healthz')], [200, 404]);
    const answer = await fetch(`http://localhost:${health?.address.port}/healthz`);
    assert.equal(await answer.text(), 'ok\n');
  });

  test('what it waits for is said', async (t) => {
    let why: string | undefined = 'the first lists are under way';
    const [listener] = await stage(t, { healthListen: ANY, whyUnready: () => why });
    assert.deepEqual([await statusOf(listener, '/readyz'), await statusOf(listener, '/healthz')], [503, 200]);
    why = undefined;
    assert.equal(await statusOf(listener, '/readyz'), 200);
  });

  test('an address that is taken is said so', async (t) => {
    const [listener] = await stage(t, { healthListen: ANY });
    assert.ok(listener);
    await assert.rejects(
      stage(t, { metricsListen: listener.address }),
      (error) => error instanceof CrsProcessError && error.code === 'ADDRESS_UNUSABLE',
    );
  });
});
