import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import { memoryLogger } from './testing/index.ts';
import { noTracer } from './tracer.ts';
import { startTracing, wantsTraces } from './tracing.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

for (const { why, env, want } of [
  { why: 'no variable at all', env: {}, want: false },
  { why: 'an endpoint', env: endpoint, want: true },
  { why: 'an endpoint for traces', env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/v1/traces' }, want: true },
  { why: 'an empty endpoint, which counts as unset', env: { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, want: false },
  { why: 'an endpoint, but the SDK is disabled', env: { ...endpoint, OTEL_SDK_DISABLED: 'True' }, want: false },
  { why: 'an endpoint, and the SDK is not disabled', env: { ...endpoint, OTEL_SDK_DISABLED: 'false' }, want: true },
  { why: 'an endpoint, but no exporter', env: { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, want: false },
  { why: 'an endpoint, but another exporter', env: { ...endpoint, OTEL_TRACES_EXPORTER: 'console' }, want: false },
  {
    why: 'an endpoint and our exporter among others',
    env: { ...endpoint, OTEL_TRACES_EXPORTER: 'console, otlp' },
    want: true,
  },
]) {
  test(`${want ? 'traces' : 'does not trace'} with ${why}`, () => assert.equal(wantsTraces(env), want));
}

test('without tracing the body runs, its result and its error come through', async () => {
  const tracer = await startTracing({}, { serviceName: 's', version: '1', log: memoryLogger().log });
  assert.equal(tracer, noTracer);
  const traced = await tracer.span('name', {}, async (span) => {
    span.set({ any: 1 });
    return span.traceparent;
  });
  assert.equal(traced, undefined);
  await assert.rejects(
    tracer.span('name', {}, () => Promise.reject(new Error('from the body'))),
    { message: 'from the body' },
  );
  await tracer.shutdown(AbortSignal.timeout(PATIENCE_MS));
});
