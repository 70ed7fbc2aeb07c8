import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogger, noTracer } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';
import { createHttpServer } from './index.ts';
import { observeRequests } from './testing/request-metrics.ts';
import { getRoute } from './testing/small-routes.ts';
import { AS_ALICE } from './testing/test-server.ts';

describe('the ports', () => {
  it('fit the logger, metrics and tracer of a process as they are', async () => {
    const lines: string[] = [];
    const metrics = createMetrics();
    const server = await createHttpServer(
      { api: { title: 'Things', version: '1' }, realm: 'things', metricsPermission: 'public' },
      {
        routes: [getRoute('/v1/x', () => 1)],
        authenticator: { authenticate: async () => ({ kind: 'user', id: 'alice' }) },
        authorizer: { allow: async () => true },
        probes: [],
        metrics,
        observer: observeRequests(metrics),
        tracer: noTracer,
        log: createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } }),
      },
    );
    await server.inject({ url: '/v1/x', headers: AS_ALICE });
    const { body, headers } = await server.inject({ url: '/metrics' });
    assert.match(body, /^http_request_duration_seconds_count\{operation="getvx",status="200"\} 1$/m);
    assert.match(body, /^http_requests_in_flight\{operation="getMetrics"\} 1$/m);
    assert.equal(headers['content-type'], metrics.contentType);
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    assert.deepEqual([line['operation'], line['status'], line['path']], ['getvx', 200, '/v1/x']);
    assert.doesNotMatch(lines.join(), /Bearer/);
    await server.close(1000);
  });
});
