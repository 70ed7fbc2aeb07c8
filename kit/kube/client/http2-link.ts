import type { IncomingHttpHeaders } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Duplex } from 'node:stream';
import { KubeError } from '../kube-error.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

export interface LinkOptions {
  readonly server: URL;
  readonly socket: Duplex;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** The link accepts no more requests; those in flight may finish. */
  readonly onEnd: () => void;
}

/** The server said that it has not processed the request: any request can then be sent again. */
export class UnsentError extends Error {
  override readonly name = 'UnsentError';
}

// Flow control windows. Node's 64 KiB would make every long list wait for round trips; this size keeps a stream busy,
// and a watch whose reader is stalled buffers no more than this.
const STREAM_WINDOW = 1024 * 1024;
const CONNECTION_WINDOW = 32 * 1024 * 1024;
// Node resets streams when more than 10 MB are being sent, which a dozen large objects reach. The number of requests in
// flight already bounds this.
const SESSION_MEGABYTES = 1024;
const SETTINGS_MS = 10_000;

/** One HTTP/2 connection. */
export class Http2Link {
  readonly #session: ClientHttp2Session;
  readonly #options: LinkOptions;
  readonly #pings: NodeJS.Timeout;
  #streams = 0;
  #open = true;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#session = connect(options.server.origin, {
      createConnection: () => options.socket,
      maxSessionMemory: SESSION_MEGABYTES,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
    });
    this.#pings = setInterval(() => this.#ping(), options.pingIntervalMs);
    this.#pings.unref();
    this.#session.on('error', () => this.#end()).on('goaway', () => this.retire());
    this.#session.on('close', () => {
      clearInterval(this.#pings);
      this.#end();
    });
  }

  /** Resolves when the server has sent its limit of streams. */
  async ready(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error('it sent no settings')), SETTINGS_MS);
    const closed = (): void => reject(new Error('the connection was closed'));
    this.#session
      .once('remoteSettings', () => resolve())
      .once('error', reject)
      .once('close', closed);
    try {
      await promise;
      this.#session.setLocalWindowSize(CONNECTION_WINDOW);
    } catch (error) {
      this.destroy();
      const why = error instanceof Error ? error.message : String(error);
      throw new KubeError('CONNECTION_REFUSED', `speak HTTP/2 with ${this.#options.server.host}: ${why}`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  get hasRoom(): boolean {
    // A broken session is destroyed at once, but reports it only when its socket has closed.
    if (!this.#open || this.#session.destroyed) return false;
    return this.#streams < (this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY);
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    signal.throwIfAborted();
    const stream = this.#start(request, signal);
    this.#streams += 1;
    stream.once('close', () => {
      this.#streams -= 1;
    });
    if (request.body !== undefined) stream.end(request.body);
    return headOf(stream);
  }

  retire(): void {
    if (!this.#open) return;
    this.#end();
    this.#session.close();
  }

  destroy(error?: Error): void {
    clearInterval(this.#pings);
    this.#end();
    this.#session.destroy(error);
  }

  #start({ method, path, headers, body }: TransportRequest, signal: AbortSignal): ClientHttp2Stream {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    try {
      return this.#session.request(
        { ...headers, ...length, [constants.HTTP2_HEADER_METHOD]: method, [constants.HTTP2_HEADER_PATH]: path },
        { endStream: body === undefined, signal },
      );
    } catch (error) {
      throw new UnsentError('the connection was closing', { cause: error });
    }
  }

  #end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#options.onEnd();
  }

  #ping(): void {
    if (this.#session.destroyed) return;
    const { server, pingTimeoutMs } = this.#options;
    const timer = setTimeout(() => {
      this.destroy(new KubeError('CONNECTION_LOST', `${server.host} did not answer a ping for ${pingTimeoutMs} ms`));
    }, pingTimeoutMs);
    timer.unref();
    this.#session.ping(() => clearTimeout(timer));
  }
}

async function headOf(stream: ClientHttp2Stream): Promise<TransportResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<
    IncomingHttpHeaders & { ':status'?: number | undefined }
  >();
  const closed = (): void => reject(new Error('the stream was closed'));
  stream.once('close', closed);
  stream.once('response', (headers) => {
    // Otherwise every stream that ends would create an unused error with a stack, a good part of a request's cost.
    stream.off('close', closed);
    resolve(headers);
  });
  // Stays for the life of the stream: after the head, errors are reported by the body.
  stream.on('error', reject);
  try {
    const headers = await promise;
    return {
      status: headers[':status'] ?? 0,
      headers,
      body: stream,
      isWhole: () => stream.rstCode === constants.NGHTTP2_NO_ERROR,
    };
  } catch (error) {
    if (error instanceof KubeError) throw error;
    if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
      throw new UnsentError('the server refused the stream', { cause: error });
    }
    const why = error instanceof Error ? error.message : String(error);
    throw new KubeError('CONNECTION_LOST', `wait for the response: ${why}`, { cause: error });
  }
}
