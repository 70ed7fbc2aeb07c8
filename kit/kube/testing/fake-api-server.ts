import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Secret } from '#kit/std';
import { CORE } from '../client/core-resources.ts';
import type { KubeObject } from '../client/kube-object.ts';
import type { KubeConfig } from '../config/kube-config.ts';
import { FakeApi } from './fake/api.ts';
import { type FakeRequest, type Fault, Faults } from './fake/faults.ts';
import { badRequest, Refused } from './fake/refused.ts';
import { CORE_RESOURCES, type FakeResource } from './fake/resources.ts';
import { bookmark, startWatch, type WatchRequest } from './fake/watching.ts';

export interface FakeApiServerOptions {
  /** Kinds besides those of `CORE`. */
  readonly resources?: readonly FakeResource[];
  /** PEM for `localhost`: TLS with HTTP/2, or without, like some proxies. Plain HTTP/1.1 if missing. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly http2?: boolean };
  /** Requests with any other token get 401. If missing, no token is required. */
  readonly tokens?: readonly string[];
}

interface OpenWatch {
  readonly request: WatchRequest;
  readonly say: (event: object) => void;
  readonly end: () => void;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const MOST_REQUESTS_KEPT = 10_000;

/**
 * An API server in this process, for unit tests: objects, versions, lists in chunks, watches with bookmarks,
 * finalizers, patches except strategic ones, and fault injection. It has no schemas, no server-side apply and no
 * controllers. Supported features behave like the real server: the client's contract suite runs on both.
 */
export class FakeApiServer {
  readonly api: FakeApi;
  readonly faults = new Faults();
  /** The accepted tokens; undefined if none is required. */
  tokens: ReadonlySet<string> | undefined;
  readonly requests: FakeRequest[] = [];
  /** Compress responses with gzip if the client accepts it. */
  pack = false;
  readonly #watches = new Set<OpenWatch>();
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #server;
  readonly #tls: FakeApiServerOptions['tls'];

  private constructor(options: FakeApiServerOptions) {
    this.api = new FakeApi([...CORE_RESOURCES, ...(options.resources ?? [])]);
    this.tokens = options.tokens && new Set(options.tokens);
    this.#tls = options.tls;
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#handle(request, response).catch((error: unknown) => answerError(response, error));
    };
    this.#server = options.tls ? createTlsServer(options.tls, handle) : createHttpServer(handle);
    this.#server.on('connection', (socket: Socket) => keep(this.#sockets, socket));
    this.#server.on('session', (session: ServerHttp2Session) => keep(this.#sessions, session));
    for (const name of ['default', 'kube-system'])
      this.put(CORE.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  static async start(options: FakeApiServerOptions = {}): Promise<FakeApiServer> {
    const fake = new FakeApiServer(options);
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return this.#tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  }

  /** A client config for this server, with the first of its tokens if it needs one. */
  get config(): KubeConfig {
    const [token] = this.tokens ?? [];
    return {
      server: this.url,
      namespace: 'default',
      ...(this.#tls && { ca: { kind: 'text', text: new Secret(this.#tls.cert) } }),
      identity: token === undefined ? {} : { token: { kind: 'text', text: new Secret(token) } },
    };
  }

  get watches(): number {
    return this.#watches.size;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Creates an object, like a POST. */
  put<T extends KubeObject>(resource: FakeResource, object: T): T {
    const place = { resource, namespace: object.metadata.namespace };
    return this.api.store.create(place, object, { dryRun: false }) as unknown as T;
  }

  inject(fault: Fault): void {
    this.faults.add(fault);
  }

  /** Earlier watch versions and list pages become `Expired`. */
  compact(): void {
    this.api.store.compact();
    this.api.paging.forget();
  }

  /** Sends a bookmark to every watch. */
  bookmark(): void {
    for (const { request, say } of this.#watches) say(bookmark(request.place, this.api.store.version));
  }

  /** Ends every watch, like the server at the timeout. */
  endWatches(): void {
    for (const { end } of this.#watches) end();
  }

  /** Breaks every connection. */
  cutConnections(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Sends GOAWAY on every HTTP/2 connection, like a server that is about to stop. */
  sendGoaway(): void {
    for (const session of this.#sessions) session.close();
  }

  async close(): Promise<void> {
    this.cutConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    const seen: FakeRequest = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      watch: url.searchParams.get('watch') === 'true',
    };
    this.requests.push(seen);
    if (this.requests.length > MOST_REQUESTS_KEPT) this.requests.shift();
    const body = await readBody(request);
    const action = this.faults.take(seen);
    if (action?.kind === 'wait') await action.until;
    if (action?.kind === 'cut') cutAfter(response, action.afterBytes);
    if (action?.kind === 'status') {
      throw new Refused(action.httpStatus, action.reason ?? '', 'a fault was injected', action.retryAfterSeconds);
    }
    this.#authenticate(seen);
    const watch = this.api.watchOf(seen);
    if (watch) return this.#watch(watch, response, Number(seen.query.get('timeoutSeconds') ?? 0));
    const answer = this.api.answer(seen, body);
    const packed = this.pack && seen.headers['accept-encoding'] === 'gzip';
    if (!packed) return send(response, answer.httpStatus, answer.body);
    response.writeHead(answer.httpStatus, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify(answer.body)));
  }

  #authenticate({ headers }: FakeRequest): void {
    const token = String(headers['authorization'] ?? '').replace(/^Bearer /, '');
    if (this.tokens && !this.tokens.has(token)) throw new Refused(401, 'Unauthorized', 'Unauthorized');
  }

  #watch(request: WatchRequest, response: ServerResponse, timeoutSeconds: number): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const say = (event: object): void => void response.write(`${JSON.stringify(event)}\n`);
    const end = (): void => void response.end();
    const timeUp = (): void => {
      say(bookmark(request.place, this.api.store.version));
      end();
    };
    const watch: OpenWatch = { request, say, end };
    const stop = startWatch(this.api.store, request, (event) => {
      say(event);
      if (event.type === 'ERROR') end();
    });
    this.#watches.add(watch);
    const timer = timeoutSeconds > 0 ? setTimeout(timeUp, timeoutSeconds * 1000) : undefined;
    response.once('close', () => {
      clearTimeout(timer);
      stop();
      this.#watches.delete(watch);
    });
  }
}

function keep<T extends Socket | ServerHttp2Session>(all: Set<T>, one: T): void {
  all.add(one);
  one.once('close', () => all.delete(one));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  if (chunks.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw badRequest('the body is not JSON');
  }
}

function answerError(response: ServerResponse, error: unknown): void {
  const refused = error instanceof Refused ? error : new Refused(500, 'InternalError', String(error));
  if (refused.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(refused.retryAfterSeconds));
  if (!response.headersSent) send(response, refused.httpStatus, refused.toStatus());
}

function send(response: ServerResponse, httpStatus: number, body: object): void {
  response.writeHead(httpStatus, { 'content-type': 'application/json' });
  response.write(JSON.stringify(body));
  response.end();
}

function createTlsServer({ cert, key, http2 = true }: NonNullable<FakeApiServerOptions['tls']>, handle: Handler) {
  if (!http2) return createHttpsServer({ cert, key }, handle);
  // The compatibility layer of HTTP/2 has every method that is used here.
  const compatible = handle as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  return createSecureServer({ cert, key, allowHTTP1: true }, compatible);
}

function cutAfter(response: ServerResponse & { readonly stream?: ServerHttp2Stream }, afterBytes: number): void {
  const write = response.write.bind(response) as (bytes: Buffer, done?: () => void) => boolean;
  const end = response.end.bind(response) as () => ServerResponse;
  const cut = (): void => void (response.stream ? response.stream.session?.destroy() : response.socket?.destroy());
  let left = afterBytes;
  const writeSome = (text: string): boolean => {
    const bytes = Buffer.from(text);
    const some = bytes.subarray(0, left);
    left -= bytes.length;
    return left >= 0 ? write(some) : write(some, () => setImmediate(cut));
  };
  Object.assign(response, { write: writeSome, end: () => (left >= 0 ? end() : response) });
}
