import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it } from 'node:test';
import type { RequestSpan, RequestTracer, SpanStart } from '../index.ts';
import { observeRequests, type RequestMetrics } from '../testing/request-metrics.ts';
import { getRoute } from '../testing/small-routes.ts';
import { AS_ALICE, testServer } from '../testing/test-server.ts';

class MemoryMetrics implements RequestMetrics {
  readonly observed: object[] = [];
  readonly underWay: number[] = [];

  histogram() {
    return {
      observe: (labels: object, seconds: number) => void this.observed.push({ ...labels, isTime: seconds >= 0 }),
    };
  }

  gauge() {
    return { set: (_labels: object, value: number) => void this.underWay.push(value) };
  }
}

interface Traced {
  readonly name: string;
  readonly start: SpanStart;
  readonly attributes: Record<string, unknown>;
  failed: boolean;
}

class MemoryTracer implements RequestTracer {
  readonly current = new AsyncLocalStorage<string>();
  readonly spans: Traced[] = [];

  async span(name: string, start: SpanStart, body: (span: RequestSpan) => Promise<void>): Promise<void> {
    const traced: Traced = { name, start, attributes: {}, failed: false };
    const traceId = `trace-${this.spans.push(traced)}`;
    const span: RequestSpan = { traceId, set: (attributes) => void Object.assign(traced.attributes, attributes) };
    await this.current
      .run(traceId, () => body(span))
      .catch(() => {
        traced.failed = true;
      });
  }
}

const broken = getRoute('/v1/broken', () => {
  throw new RangeError('broken');
});

describe('observation', () => {
  it('times every operation by status, also what matched none', async () => {
    const metrics = new MemoryMetrics();
    const { server } = await testServer([getRoute('/v1/x', () => 1), broken], { observer: observeRequests(metrics) });
    for (const url of ['/v1/x', '/v1/broken', '/v1/nope', '/v1/%zz']) await server.inject({ url, headers: AS_ALICE });
    await server.inject({ url: '/v1/x' });
    assert.deepEqual(metrics.observed, [
      { operation: 'getvx', status: '200', isTime: true },
      { operation: 'getvbroken', status: '500', isTime: true },
      { operation: 'unmatched', status: '404', isTime: true },
      { operation: 'unmatched', status: '400', isTime: true },
      { operation: 'getvx', status: '401', isTime: true },
    ]);
    assert.deepEqual(metrics.underWay, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
    await server.close(1000);
  });

  it('traces every request, around authentication and handler', async () => {
    const tracer = new MemoryTracer();
    const seen: unknown[] = [];
    const note = (): void => void seen.push(tracer.current.getStore());
    const authenticator = {
      authenticate: async () => {
        note();
        return { kind: 'user', id: 'alice' };
      },
    };
    const { server, log } = await testServer([getRoute('/v1/x', () => (note(), 1)), broken], { tracer, authenticator });
    await server.inject({ url: '/v1/x', headers: { traceparent: '00-a-b-01' } });
    await server.inject({ url: '/v1/broken' });
    assert.deepEqual(seen, ['trace-1', 'trace-1', 'trace-2']);
    const [first, second] = tracer.spans;
    assert.equal(first?.name, 'getvx');
    assert.equal(first?.start.parent['traceparent'], '00-a-b-01');
    assert.deepEqual(first?.start.attributes, { 'http.request.method': 'GET', 'http.route': '/v1/x' });
    assert.deepEqual(first?.attributes, { 'http.response.status_code': 200 });
    assert.deepEqual([first?.failed, second?.failed], [false, true]);
    assert.equal(log.lines[0]?.fields.traceId, 'trace-1');
    await server.close(1000);
  });

  it('serves the metrics to whoever may read them', async () => {
    const { server } = await testServer([], { allow: ({ id }) => id === 'alice' });
    const answer = await server.inject({ url: '/metrics', headers: AS_ALICE });
    assert.equal(answer.headers['content-type'], 'text/plain; version=0.0.4');
    assert.equal(answer.body, 'things_total 1\n');
    assert.equal((await server.inject({ url: '/metrics', headers: { authorization: 'Bearer bob' } })).statusCode, 403);
    assert.equal((await server.inject({ url: '/metrics' })).statusCode, 401);
    await server.close(1000);
  });
});
