import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long an idle connection is kept. */
const IDLE_MS = 30_000;
const KEPT = 64;

/**
 * HTTP/1.1 with keep-alive on connections made by `dial`. Their number is not limited: the forwarding code has its own
 * limits.
 */
export class RawAgent extends Agent {
  readonly #dial: () => Promise<Duplex>;
  readonly #sockets: Set<Duplex>;

  constructor(dial: () => Promise<Duplex>, sockets: Set<Duplex>) {
    super({ keepAlive: true, maxFreeSockets: KEPT, timeout: IDLE_MS });
    this.#dial = dial;
    this.#sockets = sockets;
  }

  override createConnection(_: unknown, callback: (error: Error | null, socket: Duplex) => void): undefined {
    this.#dial().then(
      (socket) => {
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
        callback(null, socket);
      },
      (error: unknown) => (callback as (error: unknown) => void)(error),
    );
  }

  /** Sockets in use close when they are released. */
  retire(): void {
    Object.assign(this, { keepAlive: false });
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}
