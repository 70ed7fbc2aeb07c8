import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '#kit/std';
import { issueClientPair, issueServerPair, makeAuthority } from '#testing/clusters/certificate-authority';
import { startFaultProxy } from '#testing/fault-proxy/start-fault-proxy';
import { freePorts } from '#testing/free-ports';
import { seededRandom } from '#testing/seeded';
import type { DialTls, Endpoint } from '../dial/index.ts';
import { createGrpcTransport, listenGrpc } from '../grpc/index.ts';
import type { ListenTls } from '../listen/listen.ts';
import { createMemoryTransport } from '../memory/index.ts';
import type { Transport, TransportServer } from '../transport.ts';
import { createWebSocketServer, createWebSocketTransport, type WebSocketServer } from '../websocket/index.ts';
import type { TransportStage, TransportUnderTest } from './contract-scene.ts';

export const GRPC_PATH = '/things.v1.ThingService/Things';
export const WEBSOCKET_PATH = '/things';
export const SUBPROTOCOL = 'things.v1';
export const LOOPBACK = { host: '127.0.0.1', port: 0 } as const;

export interface TestTls {
  readonly server: ListenTls;
  readonly dial: DialTls;
  /** PEM of the authority that signed both. */
  readonly authority: string;
  /** DER of the client certificate. */
  readonly certificate: Uint8Array;
}

/** For `localhost`, whatever the address is. */
export function makeTestTls(): TestTls {
  const authority = makeAuthority();
  const server = issueServerPair(authority, ['localhost']);
  const client = issueClientPair(authority, 'somebody', []);
  const certificate = { cert: client.cert, key: new Secret(client.key) };
  return {
    server: { cert: server.cert, key: new Secret(server.key) },
    dial: { serverName: 'localhost', credentials: () => ({ trust: { only: [authority.cert] }, certificate }) },
    authority: authority.cert,
    certificate: new X509Certificate(client.cert).raw,
  };
}

export function memoryUnderTest(): TransportUnderTest {
  return {
    name: 'memory',
    start: async (options) => {
      const memory = createMemoryTransport(options);
      return { ...memory, cut: () => memory.cut(), close: () => memory.server.close() };
    },
    nowhere: async () => {
      const { transport, server } = createMemoryTransport({ accept: () => nobody() });
      await server.stopListening();
      return transport;
    },
  };
}

export function grpcUnderTest(tls?: TestTls): TransportUnderTest {
  const transport = (to: Endpoint, maxFrameBytes = 1): Transport =>
    createGrpcTransport({ to, path: GRPC_PATH, maxFrameBytes, ...(tls && { tls: tls.dial }) });
  return {
    name: `grpc on TCP${tls ? ' with TLS' : ''}`,
    start: async (options) => {
      const server = await listenGrpc({ at: LOOPBACK, path: GRPC_PATH, ...options, ...(tls && { tls: tls.server }) });
      return await throughProxy(server, server.address, (to) => transport(to, options.maxFrameBytes));
    },
    nowhere: async () => transport(await freeAddress()),
    ...(tls && { certificate: tls.certificate }),
  };
}

export function grpcOnUnixSocketUnderTest(): TransportUnderTest {
  const transport = (to: Endpoint, maxFrameBytes = 1): Transport =>
    createGrpcTransport({ to, path: GRPC_PATH, maxFrameBytes });
  return {
    name: 'grpc on a Unix socket',
    start: async (options) => {
      const folder = await mkdtemp(join(tmpdir(), 'transport-'));
      const server = await listenGrpc({ at: { path: join(folder, 'socket') }, path: GRPC_PATH, ...options });
      return {
        server,
        transport: transport(server.address, options.maxFrameBytes),
        // There is no network in between, so the server has to close.
        cut: () => {
          server.close().catch(() => {});
        },
        close: async () => {
          await server.close();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
    nowhere: async () => transport({ path: join(tmpdir(), 'transport-where-nobody-listens') }),
  };
}

export function webSocketUnderTest(tls?: TestTls): TransportUnderTest {
  const transport = (to: Endpoint, maxFrameBytes = 1): Transport =>
    createWebSocketTransport({
      to,
      path: WEBSOCKET_PATH,
      protocol: SUBPROTOCOL,
      maxFrameBytes,
      ...(tls && { tls: tls.dial }),
    });
  return {
    name: `websocket${tls ? ' with TLS' : ''}`,
    start: async (options) => {
      const server = createWebSocketServer({ path: WEBSOCKET_PATH, protocol: SUBPROTOCOL, ...options });
      const http = await serveUpgrades(server, tls?.server);
      const both = { stopListening: () => server.stopListening(), close: () => http.close() };
      return await throughProxy(both, http.address, (to) => transport(to, options.maxFrameBytes));
    },
    nowhere: async () => transport(await freeAddress()),
    ...(tls && { certificate: tls.certificate }),
  };
}

/** An HTTP server that only serves WebSockets. */
async function serveUpgrades(
  webSockets: WebSocketServer,
  tls?: ListenTls,
): Promise<{ address: Endpoint; close(): Promise<void> }> {
  const http: Server = tls
    ? createHttpsServer({ cert: tls.cert, key: tls.key.reveal(), requestCert: true, rejectUnauthorized: false })
    : createHttpServer();
  http.on('upgrade', (request, socket, head) => {
    if (!webSockets.upgrade(request, socket, head)) socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
  });
  // `closeAllConnections` does not know sockets whose TLS handshake is not complete.
  const sockets = new Set<Socket>();
  http.on('connection', (socket: Socket) => sockets.add(socket));
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const close = async (): Promise<void> => {
    await webSockets.close();
    if (!http.listening) return;
    const closed = once(http, 'close');
    http.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { address: { host: '127.0.0.1', port: (http.address() as AddressInfo).port }, close };
}

async function throughProxy(
  server: TransportServer,
  target: Endpoint,
  transport: (to: Endpoint) => Transport,
): Promise<TransportStage> {
  const proxy = await startFaultProxy({ target, random: seededRandom(1) });
  return {
    server,
    transport: transport(proxy.address),
    cut: () => proxy.cutAll(),
    close: async () => {
      await server.close();
      await proxy.close();
    },
  };
}

async function freeAddress(): Promise<Endpoint> {
  const [port = 0] = await freePorts(1);
  return { host: '127.0.0.1', port };
}

function nobody(): never {
  throw new Error('this must not be called');
}
