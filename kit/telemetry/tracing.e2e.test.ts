import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: readonly OtlpAttribute[];
  readonly events: readonly { readonly attributes: readonly OtlpAttribute[] }[];
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const received: { path: string | undefined; headers: IncomingHttpHeaders; body: OtlpBody }[] = [];
let collector: Server;
let endpoint: string;

/** Runs the fixture in a separate process, since the SDK reads the environment of the process. */
async function run(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ loaded: string[]; lines: string; result: unknown }> {
  const fixture = new URL('./testing/traced-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [fixture, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(code, 0, stderr);
  const lines = stdout.trimEnd().split('\n');
  const { loaded, result } = JSON.parse(lines.pop() ?? '') as { loaded: string[]; result: unknown };
  return { loaded, result, lines: lines.join('\n') };
}

function named(spans: readonly OtlpSpan[], name: string): OtlpSpan {
  const span = spans.find((candidate) => candidate.name === name);
  assert.ok(span, `${name} was not received`);
  return span;
}

function values(attributes: readonly OtlpAttribute[]): Record<string, string | number | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}

describe('tracing', () => {
  before(async () => {
    collector = createServer((request, response) => {
      json(request).then(
        (body) => {
          received.push({ path: request.url, headers: request.headers, body: body as OtlpBody });
          response.setHeader('content-type', 'application/json').end('{}');
        },
        () => response.destroy(),
      );
    });
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  });

  after(() => {
    collector.closeAllConnections();
    collector.close();
  });

  test('spans arrive at a collector with their parents, attributes, faults and resource', async () => {
    received.length = 0;
    const { result, lines } = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
      OTEL_SERVICE_NAME: 'renamed',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
    });
    assert.equal(lines, '');
    const [request] = received;
    assert.ok(request);
    assert.equal(request.path, '/v1/traces');
    assert.equal(request.headers['x-tenant'], 'acme');
    const [resourceSpans] = request.body.resourceSpans;
    const resource = values(resourceSpans?.resource.attributes ?? []);
    assert.equal(resource['service.name'], 'renamed');
    assert.equal(resource['service.version'], '1.2.3');
    assert.equal(resource['deployment.environment'], 'test');

    const spans = resourceSpans?.scopeSpans.flatMap((scope) => scope.spans) ?? [];
    assert.equal(spans.length, 3);
    const server = named(spans, 'GET /x');
    assert.equal(server.traceId, '4bf92f3577b34da6a3ce929d0e0e4736', 'it continues the trace of the header');
    assert.equal(server.parentSpanId, '00f067aa0ba902b7');
    assert.equal(server.kind, 2);
    assert.deepEqual(values(server.attributes), { 'http.route': '/x', 'http.status': 200, token: '[redacted]' });
    assert.equal(result, `00-${server.traceId}-${server.spanId}-01`, 'the header for calls to others names the span');

    const inner = named(spans, 'inner');
    assert.equal(inner.parentSpanId, server.spanId, 'the span around the call is the parent, across an await');
    assert.equal(inner.status.code, 2);
    assert.equal(inner.status.message, 'refused Bearer [redacted]');
    assert.ok(!JSON.stringify(request.body).includes('hunter2'));

    const root = named(spans, 'alone');
    assert.notEqual(root.traceId, server.traceId, 'outside of any span a trace begins');
    assert.equal(root.parentSpanId, undefined);
  });

  test('a sampler that says no is obeyed', async () => {
    received.length = 0;
    await run({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: 'always_off' });
    assert.deepEqual(received, []);
  });

  test('a collector that is away is reported once and holds up nothing', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const { lines } = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    });
    assert.equal(lines.split('\n').length, 1, lines);
    assert.match(lines, /"level":"warn".*"msg":"traces not accepted; dropped until they are"/);
  });

  test('a collector that takes its time does not hold up a stop beyond its deadline', async () => {
    const slow = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { port } = slow.address() as AddressInfo;
    const { lines } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }, '100');
    slow.closeAllConnections();
    slow.close();
    assert.match(lines, /"level":"warn".*"msg":"last traces not sent before the shutdown deadline; dropped"/);
  });

  test('without an endpoint no module of the OpenTelemetry SDK is loaded', async () => {
    received.length = 0;
    assert.deepEqual((await run({})).loaded, []);
    assert.notDeepEqual((await run({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).loaded, [], 'with one, they are seen');
  });
});
