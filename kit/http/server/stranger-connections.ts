import type { Socket } from 'node:net';
import { callerNetwork, FairShare, type FairShareLimits } from '#kit/std';

type Ended = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>;

/**
 * Connections on which no valid credential was shown yet, by address. One too many is dropped; a connection on which one was shown
 * is no stranger for the rest of its life.
 */
export class StrangerConnections {
  readonly #share: FairShare<Socket>;
  readonly #isProxy: (address: string) => boolean;
  /** By both addresses: with TLS a request has another socket than the connection. */
  readonly #sockets = new Map<string, Socket>();

  constructor(limits: FairShareLimits, isProxy: (address: string) => boolean) {
    this.#share = new FairShare(limits);
    this.#isProxy = isProxy;
  }

  get size(): number {
    return this.#share.size;
  }

  opened(socket: Socket): void {
    const { remoteAddress = '' } = socket;
    // It may bring anyone, and its own limits are for its operator to set.
    if (this.#isProxy(remoteAddress)) return;
    const [network, key] = [callerNetwork(remoteAddress), keyOf(socket)];
    const displaced = this.#share.add(network, socket);
    displaced?.destroy();
    if (displaced === socket) return;
    this.#sockets.set(key, socket);
    socket.once('close', () => {
      this.#share.delete(network, socket);
      if (this.#sockets.get(key) === socket) this.#sockets.delete(key);
    });
  }

  known(socket: Ended): void {
    const key = keyOf(socket);
    const connection = this.#sockets.get(key);
    if (connection === undefined) return;
    this.#sockets.delete(key);
    this.#share.delete(callerNetwork(socket.remoteAddress ?? ''), connection);
  }
}

function keyOf({ remoteAddress, remotePort, localPort }: Ended): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
