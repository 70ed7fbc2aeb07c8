import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { DialGuard } from '#kit/transport/dial';
import type { Certificate, Identity } from '../config/credentials.ts';
import type { KubeConfig } from '../config/kube-config.ts';
import type { MaterialReader } from '../config/material-reader.ts';
import { KubeError } from '../kube-error.ts';
import { dial, type Protocols } from './dial.ts';
import { NegotiatedTransport } from './negotiated-transport.ts';
import type { Transport } from './transport.ts';

export interface ConnectionLimits {
  /** Connections kept for short requests. */
  readonly maxSockets: number;
  /** Watches on servers without HTTP/2: each has its own connection. */
  readonly maxStreams: number;
  /** HTTP/2 connections for watches. */
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}

export interface ConnectionsOptions {
  readonly config: KubeConfig;
  readonly ca: MaterialReader | undefined;
  readonly limits: ConnectionLimits;
  readonly guard?: DialGuard | undefined;
}

/**
 * The connections under the current certificate. When the certificate changes, new requests use connections made with
 * it; requests in flight finish on the old ones.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Duplex>();
  #present: { readonly transport: Transport; readonly certificate: Certificate | undefined } | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Aborts when the client is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  under({ certificate }: Identity): Transport {
    if (this.closing.aborted) throw new KubeError('CLOSED', 'send a request: the client is closed');
    if (this.#present && isSame(this.#present.certificate, certificate)) return this.#present.transport;
    this.#present?.transport.retire();
    const { config, limits } = this.#options;
    const transport = new NegotiatedTransport({
      ...limits,
      server: new URL(config.server),
      dial: (protocols) => this.#dial(certificate, protocols),
    });
    this.#present = { transport, certificate };
    return transport;
  }

  /** Cuts all connections, and resolves when they are closed. */
  async close(): Promise<void> {
    this.#closing.abort();
    const closed = [...this.#sockets].map((socket) => once(socket, 'close'));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  async #dial(certificate: Certificate | undefined, protocols: Protocols): Promise<Duplex> {
    const socket = await this.#connect(certificate, protocols);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  async #connect(certificate: Certificate | undefined, protocols: Protocols): Promise<Duplex> {
    const { config, ca, limits, guard } = this.#options;
    const timeout = AbortSignal.timeout(limits.connectTimeoutMs);
    const signal = AbortSignal.any([this.#closing.signal, timeout]);
    try {
      return await dial(
        {
          server: new URL(config.server),
          ca: await ca?.text(signal),
          certificate,
          serverName: config.serverName,
          insecureSkipVerify: config.insecureSkipVerify,
          proxy: config.proxyUrl === undefined ? undefined : new URL(config.proxyUrl),
          protocols,
          guard,
        },
        signal,
      );
    } catch (error) {
      if (error instanceof KubeError) throw error;
      if (!timeout.aborted) throw new KubeError('CLOSED', 'connect: the client is closed', { cause: error });
      throw new KubeError('CONNECTION_REFUSED', `connect to ${config.server} within ${limits.connectTimeoutMs} ms`, {
        cause: error,
      });
    }
  }
}

function isSame(one: Certificate | undefined, other: Certificate | undefined): boolean {
  return one === other || (one?.cert === other?.cert && one?.key.reveal() === other?.key.reveal());
}
