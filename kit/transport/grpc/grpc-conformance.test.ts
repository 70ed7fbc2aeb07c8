import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { describe, it, type TestContext } from 'node:test';
import {
  type ClientDuplexStream,
  credentials,
  Metadata,
  type MethodDefinition,
  makeGenericClientConstructor,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  status,
} from '@grpc/grpc-js';
import { PATIENCE_MS } from '#testing/patience';
import type { Endpoint } from '../dial/index.ts';
import { StreamRecorder } from '../testing/stream-recorder.ts';
import { GRPC_PATH, LOOPBACK, makeTestTls, type TestTls } from '../testing/transport-stages.ts';
import type { AcceptStream, Stream } from '../transport.ts';
import { createGrpcTransport, listenGrpc } from './index.ts';

// Interoperability of the wire format in both directions. @grpc/grpc-js stands for all other implementations.

const same = (bytes: Buffer): Buffer => bytes;
const METHOD: MethodDefinition<Buffer, Buffer> = {
  path: GRPC_PATH,
  requestStream: true,
  responseStream: true,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
};

describe('a client of another make', { timeout: PATIENCE_MS }, () => {
  for (const tls of [undefined, makeTestTls()]) {
    it(`sends and gets frames, and ends in order${tls ? ', over TLS' : ''}`, async (t) => {
      const { call, called } = await callOurs(t, tls);
      called.onFrame = (frame) => called.stream?.send(frame);
      const sent = [Buffer.alloc(0), Buffer.from('a'), Buffer.alloc(1_048_576, 7), ...manySmall()];
      for (const frame of sent) call.write(frame);
      const got: Buffer[] = [];
      call.on('data', (frame: Buffer) => {
        got.push(frame);
        if (got.length === sent.length) call.end();
      });
      assert.equal(await statusOf(call), status.OK);
      assert.ok(Buffer.concat(got).equals(Buffer.concat(sent)));
      assert.equal(await called.end(), 'in order');
      assert.equal(called.stream?.peer.headers['x-name'], 'value');
    });
  }

  it('hears in order that we have said all', async (t) => {
    const { call, called } = await callOurs(t);
    call.on('data', () => {});
    called.stream?.send(Buffer.from('last'));
    called.stream?.end();
    assert.equal(await statusOf(call), status.OK);
    assert.equal(await called.end(), 'in order');
  });

  const faults = [
    { why: 'we destroy the stream', code: status.CANCELLED, act: (stream: Stream) => stream.destroy() },
    { why: 'it sends too much at once', code: status.RESOURCE_EXHAUSTED, bytes: 5_000_000 },
  ];
  for (const { why, code, act, bytes } of faults) {
    it(`is told the code of gRPC when ${why}`, async (t) => {
      const { call, called } = await callOurs(t);
      call.on('data', () => {}).on('error', () => {});
      if (bytes !== undefined) call.write(Buffer.alloc(bytes));
      if (called.stream) act?.(called.stream);
      assert.equal(await statusOf(call), code);
    });
  }

  it('that cancels is one that is lost', async (t) => {
    const { call, called } = await callOurs(t);
    call.on('data', () => {}).on('error', () => {});
    call.cancel();
    assert.equal(await called.end(), 'CONNECTION_LOST');
  });

  it('is told when it calls what there is not', async (t) => {
    const server = await listenGrpc({
      at: LOOPBACK,
      path: '/things.v1.Other/Method',
      accept: () => new StreamRecorder(),
    });
    t.after(() => server.close());
    const { call } = theirClient(t, server.address);
    call.on('data', () => {}).on('error', () => {});
    assert.equal(await statusOf(call), status.UNIMPLEMENTED);
  });
});

describe('a server of another make', { timeout: PATIENCE_MS }, () => {
  it('gets and sends frames, and ends in order', async (t) => {
    const address = await theirServer(t, (call) => {
      call.on('data', (frame: Buffer) => call.write(frame)).on('end', () => call.end());
    });
    const { recorder, stream } = await ourStream(t, address);
    const sent = [Buffer.alloc(0), Buffer.from('a'), Buffer.alloc(1_048_576, 7), ...manySmall()];
    for (const frame of sent) stream.send(frame);
    await recorder.until(() => recorder.frames.length === sent.length);
    stream.end();
    assert.equal(await recorder.end(), 'in order');
    assert.ok(Buffer.concat(recorder.frames).equals(Buffer.concat(sent)));
  });

  const ends = [
    { code: status.OK, want: 'in order' },
    { code: status.PERMISSION_DENIED, want: 'REFUSED' },
    { code: status.UNAUTHENTICATED, want: 'REFUSED' },
    { code: status.UNAVAILABLE, want: 'UNREACHABLE' },
    { code: status.CANCELLED, want: 'CONNECTION_LOST' },
  ];
  for (const { code, want } of ends) {
    it(`that ends with ${status[code]} means ${want}`, async (t) => {
      const address = await theirServer(t, (call) => {
        if (code === status.OK) call.end();
        else call.emit('error', { code, details: 'because of ü' });
      });
      const { recorder } = await ourStream(t, address);
      assert.equal(await recorder.end(), want);
      if (code !== status.OK) assert.match(recorder.closes[0]?.message ?? '', /because of ü/);
    });
  }

  it('that does not have the method refuses', async (t) => {
    const address = await theirServer(t, (call) => call.end());
    const { recorder } = await ourStream(t, address, '/things.v1.ThingService/Other');
    assert.equal(await recorder.end(), 'REFUSED');
  });
});

describe('bytes that no client of gRPC sends', { timeout: PATIENCE_MS }, () => {
  const rows = [
    { why: 'a frame that says it is compressed', bytes: [1, 0, 0, 0, 1, 7], status: '13', code: 'BAD_FRAME' },
    { why: 'a flag that there is not', bytes: [9, 0, 0, 0, 1, 7], status: '13', code: 'BAD_FRAME' },
    { why: 'a length that nobody takes', bytes: [0, 255, 255, 255, 255], status: '8', code: 'FRAME_TOO_LARGE' },
    { why: 'an end in the middle of a frame', bytes: [0, 0, 0, 0, 4, 1], end: true, status: '13', code: 'BAD_FRAME' },
    { why: 'an end in the middle of a prefix', bytes: [0, 0], end: true, status: '13', code: 'BAD_FRAME' },
  ];
  for (const { why, bytes, end, status: wanted, code } of rows) {
    it(`${why}: status ${wanted}, and ${code} here`, async (t) => {
      const { raw, called } = await rawCall(t, { 'content-type': 'application/grpc' });
      raw.resume().write(Buffer.from(bytes));
      if (end) raw.end();
      const [trailers] = (await once(raw, 'trailers')) as [Record<string, string>];
      assert.equal(trailers['grpc-status'], wanted);
      assert.equal(await (await called).end(), code);
    });
  }

  for (const { headers, want } of [
    { headers: { 'content-type': 'text/plain' }, want: 415 },
    { headers: { ':method': 'GET', 'content-type': 'application/grpc' }, want: 405 },
  ]) {
    it(`a request that is no call: HTTP status ${want}`, async (t) => {
      const { raw } = await rawCall(t, headers);
      const [answer] = (await once(raw, 'response')) as [Record<string, number>];
      assert.equal(answer[':status'], want);
    });
  }
});

async function statusOf(call: ClientDuplexStream<Buffer, Buffer>): Promise<number> {
  return await new Promise((resolve) => call.once('status', ({ code }) => resolve(code)));
}

function manySmall(): Buffer[] {
  return Array.from({ length: 1_000 }, (_, index) => Buffer.from(`small ${index}`));
}

async function callOurs(
  t: TestContext,
  tls?: TestTls,
): Promise<{ call: ClientDuplexStream<Buffer, Buffer>; called: StreamRecorder }> {
  const { accept, taken } = takeOne();
  const server = await listenGrpc({ at: LOOPBACK, path: GRPC_PATH, accept, ...(tls && { tls: tls.server }) });
  t.after(() => server.close());
  const { call } = theirClient(t, server.address, tls);
  return { call, called: await taken };
}

function takeOne(): { accept: AcceptStream; taken: Promise<StreamRecorder> } {
  const { promise: taken, resolve } = Promise.withResolvers<StreamRecorder>();
  const accept: AcceptStream = (stream) => {
    stream.admit?.();
    const recorder = new StreamRecorder();
    recorder.stream = stream;
    resolve(recorder);
    return recorder;
  };
  return { accept, taken };
}

function theirClient(t: TestContext, address: Endpoint, tls?: TestTls): { call: ClientDuplexStream<Buffer, Buffer> } {
  const secure = tls ? credentials.createSsl(Buffer.from(tls.authority)) : credentials.createInsecure();
  const options = { 'grpc.ssl_target_name_override': 'localhost', 'grpc.max_receive_message_length': -1 };
  const Client = makeGenericClientConstructor({ Things: METHOD }, 'ThingService');
  const client = new Client(`localhost:${portOf(address)}`, secure, options);
  t.after(() => client.close());
  const metadata = new Metadata();
  metadata.set('x-name', 'value');
  const call = client.makeBidiStreamRequest(GRPC_PATH, same, same, metadata);
  return { call };
}

async function theirServer(
  t: TestContext,
  handle: (call: ServerDuplexStream<Buffer, Buffer>) => void,
): Promise<Endpoint> {
  const server = new Server();
  server.addService({ Things: METHOD }, { Things: handle });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  );
  t.after(() => server.forceShutdown());
  return { host: '127.0.0.1', port: await promise };
}

async function ourStream(
  t: TestContext,
  to: Endpoint,
  path = GRPC_PATH,
): Promise<{ recorder: StreamRecorder; stream: Stream }> {
  const connection = await createGrpcTransport({ to, path }).connect(t.signal);
  t.after(() => connection.close());
  const recorder = new StreamRecorder();
  return { recorder, stream: connection.open(recorder) };
}

async function rawCall(t: TestContext, headers: Record<string, string>) {
  const { accept, taken } = takeOne();
  const server = await listenGrpc({ at: LOOPBACK, path: GRPC_PATH, accept });
  t.after(() => server.close());
  const session = connectHttp2(`http://127.0.0.1:${portOf(server.address)}`);
  t.after(() => session.destroy());
  session.on('error', () => {});
  const raw = session.request({ ':method': 'POST', ':path': GRPC_PATH, ...headers }, { endStream: false });
  raw.on('error', () => {});
  return { raw, called: taken };
}

function portOf(address: Endpoint): number {
  return 'port' in address ? address.port : assert.fail('it has no port');
}
