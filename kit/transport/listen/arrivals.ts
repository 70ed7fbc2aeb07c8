import type { Socket } from 'node:net';
import { callerNetwork, FairShare, type FairShareLimits } from '#kit/std';
import { addressOf, printAddress } from '../peer-of-socket.ts';
import { HandshakeQueue } from './handshake-queue.ts';
import { parseProxyHeader } from './proxy-header.ts';

/** Connections whose handshake is not complete: silent ones, queued ones, and those in progress. */
export const ARRIVING: FairShareLimits = { total: 4_096, each: 2_048 };
/** From the connection to its first bytes, which every client sends at once. */
export const FIRST_BYTES_MS = 5_000;

export interface ArrivalsOptions {
  /** Called when the first bytes have arrived and the connection's turn has come. */
  readonly begin: (socket: Socket) => void;
  /** Whether the peer is a proxy, which sends the address of its client first. */
  readonly isProxy: (address: string) => boolean;
  readonly limits?: FairShareLimits;
  readonly firstBytesMs?: number;
}

/**
 * Connections that have proved nothing yet. A handshake starts only after the caller has sent something, so silent callers hold
 * no place in the queue. They are bounded by address, and dropped after a while.
 */
export class Arrivals {
  readonly #options: Required<ArrivalsOptions>;
  readonly #arriving: FairShare<Socket>;
  readonly #byAddress = new Map<string, Socket>();
  readonly #sources = new WeakMap<Socket, string>();
  readonly #queue: HandshakeQueue<Socket>;

  constructor(options: ArrivalsOptions) {
    this.#options = { limits: ARRIVING, firstBytesMs: FIRST_BYTES_MS, ...options };
    this.#arriving = new FairShare(this.#options.limits);
    this.#queue = new HandshakeQueue<Socket>({
      begin: (socket) => {
        if (socket.destroyed) this.#queue.over(socket);
        else options.begin(socket);
      },
      expire: (socket) => void socket.destroy(),
    });
  }

  get size(): number {
    return this.#arriving.size;
  }

  add(socket: Socket): void {
    // Until its turn there is no other error listener.
    socket.on('error', () => {});
    const address = addressOf(socket);
    const network = callerNetwork(address);
    const displaced = this.#arriving.add(network, socket);
    displaced?.destroy();
    if (displaced === socket) return;
    this.#byAddress.set(address, socket);
    const silent = setTimeout(() => socket.destroy(), this.#options.firstBytesMs).unref();
    socket.once('close', () => {
      clearTimeout(silent);
      this.#byAddress.delete(address);
      this.#over(socket, network);
    });
    this.#whenSpoken(socket, () => {
      clearTimeout(silent);
      this.#queue.add(socket, callerNetwork(this.#sources.get(socket) ?? address));
    });
  }

  /** The handshake of the connection with that address is complete. Returns the address of the caller. */
  through(address: string): string {
    const socket = this.#byAddress.get(address);
    if (socket === undefined) return address;
    this.#over(socket, callerNetwork(address));
    return this.#sources.get(socket) ?? address;
  }

  #over(socket: Socket, network: string): void {
    this.#arriving.delete(network, socket);
    this.#queue.over(socket);
  }

  #whenSpoken(socket: Socket, then: () => void): void {
    if (this.#options.isProxy(socket.remoteAddress ?? '')) this.#readProxyHeader(socket, Buffer.alloc(0), then);
    else socket.once('readable', then);
  }

  #readProxyHeader(socket: Socket, before: Buffer, then: () => void): void {
    socket.once('readable', () => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) {
        socket.destroy();
        return;
      }
      const read = Buffer.concat([before, chunk]);
      const header = parseProxyHeader(read);
      if (header.kind === 'invalid') socket.destroy();
      else if (header.kind === 'incomplete') this.#readProxyHeader(socket, read, then);
      else {
        const { source } = header;
        if (source !== undefined) this.#sources.set(socket, printAddress(source.address, source.port));
        if (read.length === header.bytes) socket.once('readable', then);
        else {
          socket.unshift(read.subarray(header.bytes));
          then();
        }
      }
    });
  }
}
