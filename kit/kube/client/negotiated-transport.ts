import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { unlessAborted } from '#kit/std';
import type { Protocols } from './dial.ts';
import { Http1Transport } from './http1-transport.ts';
import { Http2Transport } from './http2-transport.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface NegotiatedOptions {
  readonly server: URL;
  readonly dial: (protocols: Protocols) => Promise<Duplex>;
  readonly maxSockets: number;
  readonly maxStreams: number;
  readonly maxConnections: number;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}

/** HTTP/2 if the server supports it, otherwise HTTP/1.1: for plain HTTP, and some proxies that terminate TLS. */
export class NegotiatedTransport implements Transport {
  readonly #options: NegotiatedOptions;
  #chosen: Promise<Transport> | undefined;
  #retired = false;

  constructor(options: NegotiatedOptions) {
    this.#options = options;
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    this.#chosen ??= this.#choose();
    const transport = await unlessAborted(this.#chosen, signal);
    return transport.send(request, signal);
  }

  retire(): void {
    this.#retired = true;
    this.#chosen?.then(
      (transport) => transport.retire(),
      () => {},
    );
  }

  async #choose(): Promise<Transport> {
    try {
      const transport = await this.#negotiate();
      if (this.#retired) transport.retire();
      return transport;
    } catch (error) {
      // The next request tries again.
      this.#chosen = undefined;
      throw error;
    }
  }

  async #negotiate(): Promise<Transport> {
    const { server, dial, maxSockets, maxStreams } = this.#options;
    if (server.protocol === 'http:') {
      return new Http1Transport({ server, dial: () => dial([]), maxSockets, maxStreams });
    }
    const first = await dial(['h2', 'http/1.1']);
    if (first instanceof TLSSocket && first.alpnProtocol === 'h2') {
      return new Http2Transport({ ...this.#options, dial: beginningWith(first, () => dial(['h2'])) });
    }
    const next = beginningWith(first, () => dial(['http/1.1']));
    return new Http1Transport({ server, dial: next, maxSockets, maxStreams });
  }
}

/** The connection that negotiated the protocol is reused, unless it died meanwhile. */
function beginningWith(first: Duplex, dial: () => Promise<Duplex>): () => Promise<Duplex> {
  let unused: Duplex | undefined = first.once('error', () => {});
  return async () => {
    const socket = unused;
    unused = undefined;
    return socket && !socket.destroyed ? socket : dial();
  };
}
