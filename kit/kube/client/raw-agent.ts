import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long a connection is kept that nobody uses. */
const IDLE_MS = 30_000;
const KEPT = 64;

/** Keep-alive HTTP/1.1 on connections that somebody else makes. As many as are asked for: who forwards has limits of his own. */
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

  /** What is in use closes when it becomes free. */
  retire(): void {
    Object.assign(this, { keepAlive: false });
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}
