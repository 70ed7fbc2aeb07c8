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
  /** Port 0 takes any that is free. A path is a Unix socket, which only the user of this process can open. */
  readonly at: Endpoint;
  /** Without it connections are plain: whether that is good enough is for the caller to know. */
  readonly tls?: ListenTls;
  /** Beyond that, connections are dropped at once. 10,000 unless told. */
  readonly maxConnections?: number;
  /**
   * Load balancers, by their address, that begin each connection with a header of the PROXY protocol, version 2, which says who
   * is calling. With TLS only. None unless given: others could say anything.
   */
  readonly isProxy?: (address: string) => boolean;
}

export interface ListenTls {
  /** PEM. */
  readonly cert: string;
  readonly key: Secret;
}

export interface Listener {
  /** With the port that was taken. */
  readonly address: Endpoint;
  /** For connections from now on. Without effect where there is no TLS. */
  setCertificate(tls: ListenTls): void;
  /** Takes no more connections; those that were taken stay. */
  stop(): void;
  /** The same, and cuts those that were taken. Resolves when none is left. */
  close(): Promise<void>;
}

/** A thousand that were cut off come back at once. */
const BACKLOG = 4096;
const HANDSHAKE_MS = 10_000;

/** `from` is the caller's address. Through a proxy it is what the proxy says, and not that of the socket. */
export type TakeSocket = (socket: Socket, from: string) => void;

/** Hands over every connection once its TLS is up, if it has any. */
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
  // What comes after it listens, such as too many open files, ends one connection at the most.
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

/** For a server that listens: hands over what it takes, a few at a time. */
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
    // DECISION: every certificate is let in, and none will do, too. Whoever takes the streams knows who is trusted, and
    // refuses with a sentence that the other end can show; TLS has only an alert with a number.
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
 * The file has its mode from the first moment on: a `chmod` afterwards would leave a gap in which others can connect. The
 * socket is bound before `listen` returns, so that no other file is made meanwhile.
 */
function privately(bindSocket: () => void): void {
  const before = process.umask(0o177);
  try {
    bindSocket();
  } finally {
    process.umask(before);
  }
}

/** Whether it is certain that its process is gone: nothing else may be replaced. */
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
