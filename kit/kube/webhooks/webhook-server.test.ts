import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { createMetrics } from '#kit/telemetry/metrics';
import { memoryLogger } from '#kit/telemetry/testing';
import { issueServerPair, makeAuthority } from '#testing/clusters/certificate-authority';
import { validatingWebhook } from './admission-webhooks.ts';
import { admissionReviewOf } from './testing/reviews.ts';
import { webhookScene } from './testing/webhook-client.ts';
import { allow, type Verdict } from './verdict.ts';
import { WebhookServer } from './webhook-server.ts';

const yes = validatingWebhook({ path: '/validate', validate: () => allow() });

function holding(gate: Promise<Verdict>, seen: (signal: AbortSignal) => void = () => {}) {
  return validatingWebhook({
    path: '/hold',
    validate: (_, signal) => {
      seen(signal);
      return gate;
    },
  });
}

test('a review is answered', async (t) => {
  const { client } = await webhookScene(t, { webhooks: [yes] });
  const { status, body } = await client.post('/validate?timeout=10s', admissionReviewOf());
  assert.equal(status, 200);
  assert.deepEqual(body.response, { uid: 'review-1', allowed: true });
});

for (const { why, path = '/validate', body = admissionReviewOf(), headers = {}, want } of [
  { why: 'no JSON', body: 'nonsense', want: 400 },
  { why: 'no review', body: { kind: 'Pod' }, want: 400 },
  { why: 'another path', path: '/other', want: 404 },
  { why: 'another type', headers: { 'content-type': 'text/plain' }, want: 415 },
  { why: 'a compressed body', headers: { 'content-encoding': 'gzip' }, want: 415 },
  { why: 'a body beyond the limit', body: 'x'.repeat(7 * 1024 * 1024 + 1), want: 413 },
  {
    why: 'the same without a length',
    body: 'x'.repeat(7 * 1024 * 1024 + 1),
    headers: { 'transfer-encoding': 'chunked' },
    want: 413,
  },
]) {
  test(`refused with a Status that says why: ${why}`, async (t) => {
    const { client } = await webhookScene(t, { webhooks: [yes] });
    const answer = await client.post(path, body, headers);
    assert.equal(answer.status, want);
    assert.equal(answer.body.kind, 'Status');
    assert.equal(answer.body.code, want);
    assert.notEqual(answer.body.message, '');
    assert.equal((await client.post('/validate', admissionReviewOf())).status, 200, 'and the next one is served');
  });
}

test('a review is posted', async (t) => {
  const { client } = await webhookScene(t, { webhooks: [yes] });
  assert.equal((await client.get('/validate')).status, 405);
});

test('a handler that breaks down denies, is logged and counted, and the server goes on', async (t) => {
  const bad = validatingWebhook({ path: '/bad', validate: () => Promise.reject(new TypeError('boom')) });
  const { client, lines, metrics } = await webhookScene(t, { webhooks: [bad] });
  for (let round = 0; round < 2; round++) {
    const { status, body } = await client.post('/bad', admissionReviewOf());
    assert.equal(status, 200);
    assert.equal(body.response.allowed, false);
  }
  assert.equal(lines.filter(({ level, path }) => level === 'error' && path === '/bad').length, 2);
  assert.match(await metrics.text(), /^controller_runtime_webhook_panics_total 2$/m);
});

test('a handler that does not decide in time is a 504, and learns of it', async (t) => {
  const seen = Promise.withResolvers<AbortSignal>();
  const slow = holding(new Promise(() => {}), seen.resolve);
  const { client } = await webhookScene(t, { webhooks: [slow], limits: { handlerMs: 20 } });
  const { status, body } = await client.post('/hold?timeout=30s', admissionReviewOf());
  assert.equal(status, 504);
  assert.match(body.message, /within 20 ms/);
  assert.ok((await seen.promise).aborted);
});

test('the caller says how long it waits', async (t) => {
  const { client } = await webhookScene(t, { webhooks: [holding(new Promise(() => {}))] });
  const { status, body } = await client.post('/hold?x=y&timeout=1s', admissionReviewOf());
  assert.equal(status, 504);
  assert.match(body.message, /within 1000 ms/);
});

test('a handler learns that its caller has gone, and nobody is alarmed', async (t) => {
  const seen = Promise.withResolvers<AbortSignal>();
  const { port, authority, lines, metrics } = await webhookScene(t, {
    webhooks: [holding(new Promise(() => {}), seen.resolve)],
  });
  const body = JSON.stringify(admissionReviewOf());
  const socket = connect({ host: '127.0.0.1', port, ca: authority.cert });
  const head = `POST /hold HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.write(`${head}\r\n\r\n${body}`);
  const signal = await seen.promise;
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  socket.destroy();
  await aborted;
  assert.notEqual(signal.reason.name, 'TimeoutError');
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(await metrics.text(), /requests_total\{webhook="\/hold",code="499"\} 1$/m);
  assert.deepEqual(
    lines.filter(({ level }) => level !== 'debug'),
    [],
  );
});

test('what is no TLS is hung up on, and harms nobody', async (t) => {
  const { port, client } = await webhookScene(t, { webhooks: [yes] });
  const socket = connectPlain({ host: '127.0.0.1', port });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\n\r\n');
  await closed;
  assert.equal((await client.get('/healthz')).status, 200);
});

test('metrics have the names that dashboards know, from the start', async (t) => {
  const gate = Promise.withResolvers<Verdict>();
  const seen = Promise.withResolvers<AbortSignal>();
  const { client, metrics } = await webhookScene(t, { webhooks: [yes, holding(gate.promise, seen.resolve)] });
  assert.match(
    await metrics.text(),
    /^controller_runtime_webhook_requests_total\{webhook="\/validate",code="200"\} 0$/m,
  );
  await client.post('/validate', admissionReviewOf());
  await client.post('/validate', 'nonsense');
  const held = client.post('/hold', admissionReviewOf());
  await seen.promise;
  assert.match(await metrics.text(), /^controller_runtime_webhook_requests_in_flight\{webhook="\/hold"\} 1$/m);
  gate.resolve(allow());
  await held;
  const text = await metrics.text();
  for (const line of [
    'controller_runtime_webhook_requests_total{webhook="/validate",code="200"} 1',
    'controller_runtime_webhook_requests_total{webhook="/validate",code="400"} 1',
    'controller_runtime_webhook_requests_in_flight{webhook="/hold"} 0',
    'controller_runtime_webhook_latency_seconds_count{webhook="/validate"} 2',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line} is not in\n${text}`);
  }
});

test('a new certificate is shown to new connections without a restart; half of one changes nothing', async (t) => {
  const { client, clock, files, authority, write, lines } = await webhookScene(t, { webhooks: [yes] });
  const first = await client.get('/healthz');
  const renewed = issueServerPair(authority, ['127.0.0.1']);
  writeFileSync(files.certFile, renewed.cert);
  await look(clock);
  await look(clock);
  assert.equal((await client.get('/healthz', { fresh: true })).serial, first.serial);
  assert.equal(lines.filter(({ level }) => level === 'error').length, 1, 'said once');
  write(renewed);
  await look(clock);
  const second = await client.get('/healthz', { fresh: true });
  assert.notEqual(second.serial, first.serial);
  assert.equal((await client.get('/healthz')).serial, first.serial, 'a connection that is open goes on');
});

/** Advances ten seconds, so that the files are read. */
async function look(clock: { untilSleeping(): Promise<void>; advance(ms: number): Promise<void> }): Promise<void> {
  await clock.untilSleeping();
  await clock.advance(10_000);
  await clock.untilSleeping();
}

test('ready until it is not: a part that says so, an expired certificate', async (t) => {
  let isReady = false;
  const { client, clock } = await webhookScene(t, {
    webhooks: [yes],
    checkReady: async () => {
      if (!isReady) throw new Error('caches are cold');
    },
  });
  assert.equal((await client.get('/readyz')).status, 503);
  assert.equal((await client.get('/healthz')).status, 200);
  isReady = true;
  assert.equal((await client.get('/readyz')).status, 200);
  clock.set(clock.now() + 400 * 24 * 3_600_000);
  const { status, body } = await client.get('/readyz');
  assert.equal(status, 503);
  assert.match(body.reason, /expired/);
});

test('a stop lets what is under way end, and takes nothing new', async (t) => {
  const gate = Promise.withResolvers<Verdict>();
  const seen = Promise.withResolvers<AbortSignal>();
  const { client, stop, end } = await webhookScene(t, { webhooks: [holding(gate.promise, seen.resolve)] });
  const held = client.post('/hold', admissionReviewOf());
  await seen.promise;
  stop.abort();
  await assert.rejects(client.get('/healthz', { fresh: true }));
  gate.resolve(allow());
  assert.equal((await held).body.response.allowed, true);
  await end();
});

test('a stop does not wait for ever', async (t) => {
  const seen = Promise.withResolvers<AbortSignal>();
  const { client, end } = await webhookScene(t, {
    webhooks: [holding(new Promise(() => {}), seen.resolve)],
    limits: { drainMs: 20 },
  });
  const held = assert.rejects(client.post('/hold', admissionReviewOf()));
  await seen.promise;
  await end();
  await held;
});

for (const { why, cert, key } of [
  { why: 'no certificate', cert: 'nonsense', key: 'right' },
  { why: 'no key', cert: 'right', key: 'nonsense' },
  { why: 'a key of another certificate', cert: 'right', key: 'other' },
]) {
  test(`does not start with ${why}`, async (t) => {
    const { files } = await webhookScene(t, { webhooks: [] });
    const authority = makeAuthority();
    const pairs = { right: issueServerPair(authority, ['a']), other: issueServerPair(authority, ['b']) };
    writeFileSync(files.certFile, cert === 'right' ? pairs.right.cert : cert);
    writeFileSync(files.keyFile, key === 'right' || key === 'other' ? pairs[key].key : key);
    const deps = { webhooks: [], metrics: createMetrics(), log: memoryLogger().log };
    const opening = WebhookServer.open({ host: '127.0.0.1', port: 0, certificate: files }, deps);
    await assert.rejects(opening, { code: 'CERTIFICATE_UNUSABLE' });
  });
}

test('does not start on a port that is taken, or with a path that is', async (t) => {
  const { files, port } = await webhookScene(t, { webhooks: [] });
  const deps = { webhooks: [yes, yes], metrics: createMetrics(), log: memoryLogger().log };
  await assert.rejects(WebhookServer.open({ host: '127.0.0.1', port: 0, certificate: files }, deps), RangeError);
  const opening = WebhookServer.open({ host: '127.0.0.1', port, certificate: files }, { ...deps, webhooks: [] });
  await assert.rejects(opening, { code: 'EADDRINUSE' });
});
