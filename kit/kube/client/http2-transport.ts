import type { Duplex } from 'node:stream';
import { unlessAborted } from '#kit/std';
import { KubeError } from '../kube-error.ts';
import { Http2Link, UnsentError } from './http2-link.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface Http2Options {
  readonly server: URL;
  /** A new HTTP/2 connection, with its own deadline. */
  readonly dial: () => Promise<Duplex>;
  readonly maxConnections: number;
  /** A connection that does not answer a ping for this long is dead, whatever the kernel reports. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}

const MOST_TRIES = 5;

/**
 * Sends requests and watches as streams over a few connections. The server limits the streams per connection; when all
 * are full, another connection is opened, up to `maxConnections`; beyond that the request is `OVERLOADED`.
 */
export class Http2Transport implements Transport {
  readonly #options: Http2Options;
  readonly #links = new Set<Http2Link>();
  #opening: Promise<Http2Link> | undefined;
  #ended: KubeError | undefined;

  constructor(options: Http2Options) {
    this.#options = options;
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    for (let attempt = 1; ; attempt += 1) {
      const link = this.#free() ?? (await this.#anotherLink(signal));
      try {
        return await link.send(request, signal);
      } catch (error) {
        // The server was closing the connection, and said that it has not processed this request.
        if (!(error instanceof UnsentError)) throw error;
        if (attempt >= MOST_TRIES) throw new KubeError('CONNECTION_REFUSED', error.message, { cause: error });
      }
    }
  }

  retire(): void {
    this.#ended ??= new KubeError('CLOSED', 'send a request: the connections are retired');
    for (const link of this.#links) link.retire();
  }

  #free(): Http2Link | undefined {
    for (const link of this.#links) if (link.hasRoom) return link;
    return undefined;
  }

  async #anotherLink(signal: AbortSignal): Promise<Http2Link> {
    for (;;) {
      if (this.#ended) throw this.#ended;
      if (!this.#opening && this.#links.size >= this.#options.maxConnections) throw this.#full();
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined;
      });
      await unlessAborted(this.#opening, signal);
      // Many requests may have waited for the same connection.
      const link = this.#free();
      if (link) return link;
    }
  }

  async #open(): Promise<Http2Link> {
    const { server, dial, pingIntervalMs, pingTimeoutMs } = this.#options;
    const socket = await dial();
    const link = new Http2Link({
      server,
      socket,
      pingIntervalMs,
      pingTimeoutMs,
      onEnd: () => this.#links.delete(link),
    });
    await link.ready();
    if (this.#ended) {
      link.destroy();
      throw this.#ended;
    }
    this.#links.add(link);
    return link;
  }

  #full(): KubeError {
    const most = this.#options.maxConnections;
    return new KubeError('OVERLOADED', `open a stream: all ${most} connections to the server are full`);
  }
}
