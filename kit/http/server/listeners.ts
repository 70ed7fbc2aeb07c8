import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions as TlsServerOptions } from 'node:https';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type SecureContextOptions, Server as TlsServer } from 'node:tls';
import { HttpError } from '../errors/http-error.ts';
import { answerConnection, answerResponse, errorOfConnection } from './client-errors.ts';
import type { HttpLimits } from './limits.ts';
import type { StrangerConnections } from './stranger-connections.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 picks any free port. */
  readonly port: number;
  /** Certificate, key and so on; plain HTTP if missing. */
  readonly tls?: TlsServerOptions;
  readonly upgrade?: Upgrade;
}

/**
 * Everything below a prefix that is not a route: requests and upgrades are passed on unchanged, without our limits
 * except those of sockets. `known` must be called when valid credentials were presented: until then the connection
 * counts as unauthenticated.
 */
export interface RawPaths {
  /** `/things/` */
  readonly prefix: string;
  readonly request: (request: IncomingMessage, response: ServerResponse, known: () => void) => void;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, known: () => void) => void;
}

/** A path on which connections can be upgraded. Request limits do not apply to them; remaining ones are cut at the end. */
export interface Upgrade {
  readonly path: string;
  readonly take: (request: IncomingMessage, socket: Duplex, head: Buffer, known: () => void) => void;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface Listening extends ListenAddress {
  /** Serves another certificate to new connections. No effect on plain HTTP. */
  setCertificate(certificate: SecureContextOptions): void;
}

interface ListenersDeps {
  readonly handler: Handler;
  readonly limits: HttpLimits;
  readonly strangers: StrangerConnections;
  readonly raw: RawPaths | undefined;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The sockets. All listeners, plain and TLS, are equal: they pass their requests to one handler, and share its limits
 * and shutdown.
 *
 * DECISION: Fastify's own server is never opened. There can be only one, and its `close` has no deadline.
 */
export class Listeners {
  readonly #handler: Handler;
  readonly #limits: HttpLimits;
  readonly #raw: RawPaths | undefined;
  readonly #strangers: StrangerConnections;
  readonly #servers = new Set<Server>();
  readonly #upgraded = new Set<Duplex>();
  /** The latest response on each connection, to know whether one is half written. */
  readonly #responses = new WeakMap<Duplex, ServerResponse>();

  constructor({ handler, limits, strangers, raw }: ListenersDeps) {
    this.#handler = handler;
    this.#limits = limits;
    this.#strangers = strangers;
    this.#raw = raw;
  }

  async listen({ host, port, tls, upgrade }: ListenOptions): Promise<Listening> {
    const options = this.#serverOptions(upgrade);
    const server = tls
      ? createTlsServer({ handshakeTimeout: this.#limits.headersMs, ...tls, ...options })
      : createServer(options);
    server.maxConnections = this.#limits.connections;
    server.on('connection', (socket: Socket) => this.#strangers.opened(socket));
    server.on('request', (request, response) => {
      this.#responses.set(request.socket, response);
      if (tls && isNamed(request.headers.host)) response.setHeader('strict-transport-security', HSTS);
      if (this.#isRaw(request)) this.#raw?.request(request, response, () => this.#strangers.known(request.socket));
      else this.#handler(request, response);
    });
    server.on('upgrade', (request, socket, head) => {
      // An upgrade pipelined behind an unanswered request would have two writers on one connection. And while a request
      // body is still arriving, Node passes on something other than the connection.
      if (socket !== request.socket || this.#responses.get(request.socket)?.writableFinished === false) {
        request.socket.destroy();
        return;
      }
      this.#upgraded.add(socket);
      socket.once('close', () => this.#upgraded.delete(socket));
      const known = (): void => this.#strangers.known(request.socket);
      if (this.#isRaw(request)) this.#raw?.upgrade(request, socket, head, known);
      else upgrade?.take(request, socket, head, known);
    });
    server.on('clientError', (error, socket) => this.#refuse(error, socket));
    server.on('checkExpectation', (request, response) => {
      const message = 'The only supported expectation is 100-continue. Send the request without Expect.';
      answerResponse(new HttpError('EXPECTATION_FAILED', message), response, request.url?.split('?')[0] ?? '');
    });
    const listening = Promise.withResolvers<void>();
    server.once('error', listening.reject);
    server.listen({ host, port }, listening.resolve);
    await listening.promise;
    server.off('error', listening.reject);
    this.#servers.add(server);
    const address = server.address() as AddressInfo;
    const setCertificate = (certificate: SecureContextOptions): void => {
      if (server instanceof TlsServer) server.setSecureContext(certificate);
    };
    return { host: address.address, port: address.port, setCertificate };
  }

  /** Accepts no more connections, and resolves when the last one is closed. */
  async stop(): Promise<void> {
    await Promise.all(
      [...this.#servers].map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
  }

  closeIdle(): void {
    for (const server of this.#servers) server.closeIdleConnections();
  }

  closeAll(): void {
    for (const server of this.#servers) server.closeAllConnections();
    for (const socket of this.#upgraded) socket.destroy();
  }

  #isRaw({ url }: IncomingMessage): boolean {
    return this.#raw !== undefined && url?.startsWith(this.#raw.prefix) === true;
  }

  #refuse(error: Error & { readonly code?: string }, socket: Duplex): void {
    const response = this.#responses.get(socket);
    const halfWritten = response?.headersSent === true && !response.writableFinished;
    if (!socket.writable || error.code === 'ECONNRESET' || halfWritten) socket.destroy();
    else answerConnection(errorOfConnection(error), socket);
  }

  #serverOptions(upgrade: Upgrade | undefined): ServerOptions {
    const { headerBytes, headersMs, receiveMs, keepAliveMs } = this.#limits;
    return {
      maxHeaderSize: headerBytes,
      headersTimeout: headersMs,
      requestTimeout: Math.max(receiveMs, headersMs),
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.max(10, Math.min(headersMs, receiveMs) / 4),
      // Checked later, where it can be answered with a problem document.
      requireHostHeader: false,
      // Other upgrade offers, such as those of HTTP/2 clients, are ignored, and the request is answered normally.
      shouldUpgradeCallback: (request) =>
        this.#isRaw(request) || (upgrade !== undefined && request.url?.split('?')[0] === upgrade.path),
    };
  }
}

/** For a year: a browser that has been here does not use plain HTTP again. */
const HSTS = 'max-age=31536000';

/**
 * Whether HSTS is safe for this host. `localhost` is shared by everything on the machine, whatever its port; for IP
 * addresses browsers ignore HSTS.
 */
function isNamed(host = ''): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name !== '' && name !== 'localhost' && isIP(name.replace(/^\[|\]$/g, '')) === 0;
}
