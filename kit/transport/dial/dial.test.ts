import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { Secret } from '#kit/std';
import { issueServerPair, makeAuthority } from '#testing/clusters/certificate-authority';
import { PATIENCE_MS } from '#testing/patience';
import { createGrpcTransport, type GrpcTransportOptions, listenGrpc } from '../grpc/index.ts';
import { StreamRecorder } from '../testing/stream-recorder.ts';
import { GRPC_PATH, LOOPBACK, makeTestTls, SUBPROTOCOL, WEBSOCKET_PATH } from '../testing/transport-stages.ts';
import { createWebSocketTransport } from '../websocket/index.ts';
import type { DialCredentials, Endpoint } from './index.ts';

const tls = makeTestTls();

describe('whom to trust', { timeout: PATIENCE_MS }, () => {
  const stranger = makeAuthority();
  const rows: { why: string; credentials: () => DialCredentials; serverName?: string; want?: string }[] = [
    { why: 'those who are named', credentials: () => ({ trust: { only: [tls.authority] } }) },
    { why: 'those who are named besides', credentials: () => ({ trust: { besides: [tls.authority] } }) },
    { why: 'nobody else', credentials: () => ({ trust: { only: [stranger.cert] } }), want: 'PEER_NOT_TRUSTED' },
    { why: 'those that Node brings, who are others', credentials: () => ({}), want: 'PEER_NOT_TRUSTED' },
    {
      why: 'not for another name',
      credentials: () => ({ trust: { only: [tls.authority] } }),
      serverName: 'other.example',
      want: 'PEER_NOT_TRUSTED',
    },
    {
      why: 'not for an address that the certificate does not have',
      credentials: () => ({ trust: { only: [tls.authority] } }),
      serverName: '127.0.0.1',
      want: 'PEER_NOT_TRUSTED',
    },
  ];
  for (const { why, credentials, serverName = 'localhost', want } of rows) {
    it(why, async (t) => {
      const outcome = connectGrpc(t, { to: await serve(t), tls: { serverName, credentials } });
      if (want === undefined) await outcome;
      else await assert.rejects(outcome, { code: want });
    });
  }

  it('an address that the certificate has', async (t) => {
    const pair = issueServerPair(stranger, ['127.0.0.1']);
    const to = await serve(t, { cert: pair.cert, key: new Secret(pair.key) });
    await connectGrpc(t, { to, tls: { credentials: () => ({ trust: { only: [stranger.cert] } }) } });
  });

  it('asks for credentials at each connect', async (t) => {
    const to = await serve(t);
    let asked = 0;
    const transport = createGrpcTransport({
      to,
      path: GRPC_PATH,
      tls: {
        serverName: 'localhost',
        credentials: async () => {
          asked += 1;
          return { trust: { only: [asked === 1 ? stranger.cert : tls.authority] } };
        },
      },
    });
    await assert.rejects(transport.connect(t.signal), { code: 'PEER_NOT_TRUSTED' });
    await (await transport.connect(t.signal)).close();
    assert.equal(asked, 2);
  });

  it('a server serves another certificate from when it was told', async (t) => {
    const server = await listenGrpc({
      at: LOOPBACK,
      path: GRPC_PATH,
      tls: tls.server,
      accept: () => new StreamRecorder(),
    });
    t.after(() => server.close());
    const pair = issueServerPair(stranger, ['localhost']);
    server.setCertificate({ cert: pair.cert, key: new Secret(pair.key) });
    const credentials = (): DialCredentials => ({ trust: { only: [stranger.cert] } });
    await connectGrpc(t, { to: server.address, tls: { serverName: 'localhost', credentials } });
  });
});

describe('an other end that is none', { timeout: PATIENCE_MS }, () => {
  for (const [name, transportTo] of [
    ['grpc', grpcTo],
    ['websocket', webSocketTo],
  ] as const) {
    it(`${name}: says nothing, and is given up after a while`, async (t) => {
      const to = await speaking(t, () => {});
      await assert.rejects(talk(t, transportTo({ to, tls: tls.dial, connectWithinMs: 100 })), { code: 'UNREACHABLE' });
    });

    it(`${name}: says nothing, and whoever waits goes away`, async (t) => {
      const gone = new AbortController();
      const why = new Error('gone');
      const to = await speaking(t, () => gone.abort(why));
      await assert.rejects(transportTo({ to, tls: tls.dial }).connect(gone.signal), why);
    });

    it(`${name}: hangs up`, async (t) => {
      const to = await speaking(t, (socket) => socket.destroy());
      await assert.rejects(talk(t, transportTo({ to, tls: tls.dial })), { code: 'UNREACHABLE' });
    });

    it(`${name}: speaks something else`, async (t) => {
      const to = await speaking(t, (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
      await assert.rejects(talk(t, transportTo({ to })), { code: 'REFUSED' });
    });

    it(`${name}: plain and silent, and is given up after a while`, async (t) => {
      const to = await speaking(t, () => {});
      await assert.rejects(talk(t, transportTo({ to, connectWithinMs: 100 })), { code: 'UNREACHABLE' });
    });
  }
});

describe('a proxy', { timeout: PATIENCE_MS }, () => {
  it('makes the connection, and is told user and password', async (t) => {
    const proxy = await startProxy(t, 'let through');
    const url = new URL(`http://us%C3%A9r:p%40ss@127.0.0.1:${proxy.port}`);
    await connectGrpc(t, { to: await serve(t), tls: tls.dial, proxy: url });
    assert.equal(proxy.seen.length, 1);
    const [method, credentials] = proxy.seen[0]?.headers['proxy-authorization']?.split(' ') ?? [];
    assert.deepEqual([method, Buffer.from(credentials ?? '', 'base64').toString()], ['Basic', 'usér:p@ss']);
  });

  it('makes it for connections without TLS too, where the other end speaks first', async (t) => {
    const proxy = await startProxy(t, 'let through');
    const server = await listenGrpc({ at: LOOPBACK, path: GRPC_PATH, accept: () => new StreamRecorder() });
    t.after(() => server.close());
    await connectGrpc(t, { to: server.address, proxy: new URL(`http://127.0.0.1:${proxy.port}`) });
  });

  for (const how of ['407', 'hang up'] as const) {
    it(`that does not: ${how}`, async (t) => {
      const proxy = new URL(`http://127.0.0.1:${(await startProxy(t, how)).port}`);
      await assert.rejects(connectGrpc(t, { to: await serve(t), tls: tls.dial, proxy }), { code: 'UNREACHABLE' });
    });
  }
});

type Dialled = Omit<GrpcTransportOptions, 'path'>;

function grpcTo(options: Dialled) {
  return createGrpcTransport({ path: GRPC_PATH, ...options });
}

function webSocketTo(options: Dialled) {
  return createWebSocketTransport({ path: WEBSOCKET_PATH, protocol: SUBPROTOCOL, ...options });
}

async function connectGrpc(t: TestContext, options: Dialled): Promise<void> {
  const connection = await grpcTo(options).connect(t.signal);
  t.after(() => connection.close());
}

/** Some fail at connect, others when a stream is opened. */
async function talk(t: TestContext, transport: ReturnType<typeof grpcTo>): Promise<void> {
  const connection = await transport.connect(t.signal);
  t.after(() => connection.close());
  const recorder = new StreamRecorder();
  connection.open(recorder);
  await recorder.end();
  throw recorder.closes[0] ?? new Error('it was ended in order');
}

async function serve(t: TestContext, certificate = tls.server): Promise<Endpoint> {
  const server = await listenGrpc({
    at: LOOPBACK,
    path: GRPC_PATH,
    tls: certificate,
    accept: () => new StreamRecorder(),
  });
  t.after(() => server.close());
  return server.address;
}

async function speaking(t: TestContext, say: (socket: Socket) => void): Promise<Endpoint> {
  const server = createServer((socket) => {
    t.after(() => socket.destroy());
    socket.on('error', () => {});
    socket.once('data', () => say(socket));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

async function startProxy(t: TestContext, how: 'let through' | '407' | 'hang up') {
  const seen: IncomingMessage[] = [];
  const server = createHttpServer();
  server.on('connect', (request, socket) => {
    seen.push(request);
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    if (how === 'hang up') socket.destroy();
    if (how === '407') socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    if (how !== 'let through') return;
    const [host = '', port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => {});
    t.after(() => upstream.destroy());
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { seen, port: (server.address() as AddressInfo).port };
}
