import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { KubeError } from '../kube-error.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface Http1Options {
  readonly server: URL;
  /** A fresh connection, with a deadline of its own. */
  readonly dial: () => Promise<Duplex>;
  /** For short requests, kept alive between them. */
  readonly maxSockets: number;
  /** For watches: each takes one for as long as it goes on. */
  readonly maxStreams: number;
}

const RETRIES_OF_STALE_SOCKETS = 2;

/** Keep-alive HTTP/1.1. Watches have sockets of their own, so that a hundred of them do not hold up a single request. */
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
    // Sockets of watches are not given back soon: whoever waits for one would wait forever.
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
        // The server closed a kept connection at the moment at which we wrote on it. A read is asked again; of a write
        // nobody knows whether it was seen.
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
  // Stays for the request's life: once the head was given, the body speaks for what goes wrong.
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
    throw new KubeError('CONNECTION_LOST', `wait for an answer: ${why}`, { cause: error });
  }
}

/** Opens connections by `dial`: TLS, proxies and certificates are none of its business. */
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
    // What is in use closes when it becomes free.
    Object.assign(this, { keepAlive: false });
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

function tooManyStreams(most: number): KubeError {
  return new KubeError('OVERLOADED', `open one more watch than the ${most} that one client may have`);
}
