import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection to a server on loopback that a test can cut, block and open again at any moment. */
export class FlakyLine {
  readonly #port: number;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  #blocked = false;

  private constructor(port: number) {
    this.#port = port;
    this.#listener = createServer((client) => this.#connect(client));
  }

  /** To `https://127.0.0.1:port`. */
  static async to(server: string): Promise<FlakyLine> {
    const line = new FlakyLine(Number(new URL(server).port));
    line.#listener.listen(0, '127.0.0.1');
    await once(line.#listener, 'listening');
    return line;
  }

  get server(): string {
    return `https://127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
  }

  /** Cuts all connections. Clients can reconnect. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Cuts all connections, and refuses new ones until it is opened. */
  block(): void {
    this.#blocked = true;
    this.cut();
  }

  open(): void {
    this.#blocked = false;
  }

  async close(): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    this.cut();
    await closed;
  }

  #connect(client: Socket): void {
    if (this.#blocked) {
      client.destroy();
      return;
    }
    const server = connect(this.#port, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
