import { once } from 'node:events';
import { lstatSync, unlinkSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Secret } from '#kit/std';
import { type Endpoint, endpointName } from '../dial/dial.ts';
import { addressOf } from '../peer-of-socket.ts';
import { TransportError } from '../transport-error.ts';
import { Arrivals } from './arrivals.ts';
import { EndsInTurns } from './ends-in-turns.ts';

export interface ListenOptions {
  /** Port 0 picks any free port. A path is a Unix socket, which only the user of this process can open. */
  readonly at: Endpoint;
  /** Without it connections are plaintext; the caller decides whether that is acceptable. */
  readonly tls?: ListenTls;
  /** Further connections are dropped at once. Default 10,000. */
  readonly maxConnections?: number;
  /**
   * Load balancers, by address, that begin each connection with a PROXY protocol version 2 header, which names the caller. Only
   * with TLS. Default: none, because any other peer could claim anything.
   */
  readonly isProxy?: (address: string) => boolean;
}

export interface ListenTls {
  /** PEM. */
  readonly cert: string;
  readonly key: Secret;
}

export interface Listener {
  /** With the actual port. */
  readonly address: Endpoint;
  /** For new connections. No effect without TLS. */
  setCertificate(tls: ListenTls): void;
  /** Stops accepting connections; existing ones stay. */
  stop(): void;
  /** The same, and cuts existing connections. Resolves when none is left. */
  close(): Promise<void>;
}

/** A thousand callers that were cut off come back at once. */
const BACKLOG = 4096;
const HANDSHAKE_MS = 10_000;

/** `from` is the caller's address. Behind a proxy it is the address that the proxy reports, not that of the socket. */
export type TakeSocket = (socket: Socket, from: string) => void;

/** Passes on every connection, after its TLS handshake if it has one. */
export async function listen(options: ListenOptions, protocol: string, taken: TakeSocket): Promise<Listener> {
  const { at, tls, maxConnections = 10_000, isProxy = () => false } = options;
  const secured = tls && tlsServer(tls, protocol);
  const take = secured ? inTurns(secured, taken, isProxy) : (socket: Socket) => taken(socket, addressOf(socket));
  const server = createServer({ noDelay: true, keepAlive: true }, take);
  server.maxConnections = maxConnections;
  try {
    await bind(server, at);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TransportError('CANNOT_LISTEN', `listen at ${endpointName(at)}: ${why}`, { cause: error });
  }
  const sockets = new Set<Socket>();
  const ends = new EndsInTurns();
  server.on('connection', (socket: Socket) => {
    ends.watch(socket);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const closed = once(server, 'close');
  // Errors after the start, such as too many open files, end one connection at most.
  server.on('error', () => {});
  return {
    address: 'path' in at ? at : { host: at.host, port: (server.address() as AddressInfo).port },
    setCertificate: ({ cert, key }) => {
      secured?.setSecureContext({ cert, key: key.reveal() });
    },
    stop: () => {
      server.close();
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Passes accepted connections on to a TLS server, a few at a time. */
function inTurns(
  secured: TlsServer,
  taken: TakeSocket,
  isProxy: (address: string) => boolean,
): (socket: Socket) => void {
  const arrivals = new Arrivals({ begin: (socket) => void secured.emit('connection', socket), isProxy });
  secured.on('secureConnection', (socket) => taken(socket, arrivals.through(addressOf(socket))));
  return (socket) => arrivals.add(socket);
}

function tlsServer({ cert, key }: ListenTls, protocol: string): TlsServer {
  return createTlsServer({
    cert,
    key: key.reveal(),
    ALPNProtocols: [protocol],
    // DECISION: any client certificate is accepted, or none at all. The code that accepts the streams knows which callers are
    // trusted, and refuses with a message that the other end can show; TLS has only a numeric alert.
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: HANDSHAKE_MS,
    noDelay: true,
    keepAlive: true,
  });
}

async function bind(server: Server, at: Endpoint): Promise<void> {
  if (!('path' in at)) {
    await listening(server, () => server.listen({ ...at, backlog: BACKLOG }));
    return;
  }
  const listenAtPath = () =>
    listening(server, () => privately(() => server.listen({ path: at.path, backlog: BACKLOG })));
  try {
    await listenAtPath();
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE' || !(await isLeftBehind(at.path))) throw error;
    unlinkSync(at.path);
    await listenAtPath();
  }
}

async function listening(server: Server, begin: () => void): Promise<void> {
  const listens = once(server, 'listening');
  begin();
  await listens;
}

/**
 * The file has its mode from the start: a later `chmod` would leave a gap in which others can connect. The socket is bound
 * before `listen` returns, so no other file is created meanwhile.
 */
function privately(bindSocket: () => void): void {
  const before = process.umask(0o177);
  try {
    bindSocket();
  } finally {
    process.umask(before);
  }
}

/** True only if the owning process is certainly gone: nothing else may be replaced. */
async function isLeftBehind(path: string): Promise<boolean> {
  if (!lstatSync(path).isSocket()) return false;
  const probe = connect(path);
  try {
    await once(probe, 'connect');
    return false;
  } catch (error) {
    return codeOf(error) === 'ECONNREFUSED';
  } finally {
    probe.destroy();
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
