import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '#kit/telemetry/metrics';
import { CORE } from '../client/core-resources.ts';
import { createKubeClient } from '../client/create-kube-client.ts';
import { FakeApiServer } from '../testing/index.ts';
import { countRequests } from './request-metrics.ts';

test('requests are counted by answer, method and host', async (t) => {
  const fake = await FakeApiServer.start();
  t.after(() => fake.close());
  const metrics = createMetrics();
  const client = createKubeClient({ config: fake.config, observe: countRequests(metrics) });
  t.after(() => client.close());
  await client.get({ resource: CORE.namespaces, name: 'default' }, t.signal);
  await assert.rejects(client.get({ resource: CORE.namespaces, name: 'missing' }, t.signal), { code: 'NOT_FOUND' });
  const { host } = new URL(fake.url);
  const text = await metrics.text();
  for (const code of [200, 404]) {
    const line = `rest_client_requests_total{code="${code}",method="GET",host="${host}"} 1`;
    assert.ok(text.split('\n').includes(line), `${line} is not in\n${text}`);
  }
});
