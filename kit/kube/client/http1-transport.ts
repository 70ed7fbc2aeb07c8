import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { KubeError } from '../kube-error.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface Http1Options {
  readonly server: URL;
  /** A new connection, with its own deadline. */
  readonly dial: () => Promise<Duplex>;
  /** For short requests, kept alive between them. */
  readonly maxSockets: number;
  /** For watches: each takes one connection for its whole life. */
  readonly maxStreams: number;
}

const RETRIES_OF_STALE_SOCKETS = 2;

/** HTTP/1.1 with keep-alive. Watches have sockets of their own, so that a hundred of them do not delay a single request. */
export class Http1Transport implements Transport {
  readonly #options: Http1Options;
  readonly #agent: DialingAgent;
  readonly #streams: DialingAgent;
  #open = 0;

  constructor(options: Http1Options) {
    this.#options = options;
    this.#agent = new DialingAgent(options.dial, options.maxSockets);
    this.#streams = new DialingAgent(options.dial, options.maxStreams);
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    if (!request.streaming) return this.#sendOn(this.#agent, request, signal);
    // Sockets of watches are not released soon: a request that waits for one would wait without end.
    if (this.#open >= this.#options.maxStreams) throw tooManyStreams(this.#options.maxStreams);
    this.#open += 1;
    const done = (): void => void (this.#open -= 1);
    try {
      const response = await this.#sendOn(this.#streams, request, signal);
      response.body.once('close', done);
      return response;
    } catch (error) {
      done();
      throw error;
    }
  }

  retire(): void {
    this.#agent.retire();
    this.#streams.retire();
  }

  async #sendOn(agent: Agent, request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    for (let attempt = 0; ; attempt += 1) {
      const sent = this.#start(agent, request, signal);
      try {
        return await headOf(sent);
      } catch (error) {
        signal.throwIfAborted();
        // The server closed a kept-alive connection just as the request was written. A read is retried; for a write it
        // is unknown whether it was received.
        const stale = sent.reusedSocket && request.method === 'GET' && attempt < RETRIES_OF_STALE_SOCKETS;
        if (!stale) throw error;
      }
    }
  }

  #start(agent: Agent, { method, path, headers, body }: TransportRequest, signal: AbortSignal): ClientRequest {
    const { host } = this.#options.server;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const request = httpRequest({ agent, method, path, headers: { host, ...headers, ...length }, signal });
    return request.end(body);
  }
}

async function headOf(request: ClientRequest): Promise<TransportResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once('response', resolve);
  // Stays for the life of the request: after the head, errors are reported by the body.
  request.on('error', reject);
  try {
    const response = await promise;
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: response,
      isWhole: () => response.complete,
    };
  } catch (error) {
    if (error instanceof KubeError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new KubeError('CONNECTION_LOST', `wait for the response: ${why}`, { cause: error });
  }
}

/** Opens connections with `dial`, which handles TLS, proxies and certificates. */
class DialingAgent extends Agent {
  readonly #dial: () => Promise<Duplex>;

  constructor(dial: () => Promise<Duplex>, maxSockets: number) {
    super({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: 0 });
    this.#dial = dial;
  }

  override createConnection(_: unknown, callback: (error: Error | null, socket: Duplex) => void): undefined {
    this.#dial().then(
      (socket) => callback(null, socket),
      (error: unknown) => (callback as (error: unknown) => void)(error),
    );
  }

  retire(): void {
    // Sockets in use close when they are released.
    Object.assign(this, { keepAlive: false });
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

function tooManyStreams(most: number): KubeError {
  return new KubeError('OVERLOADED', `open a watch: the client already has ${most}`);
}
