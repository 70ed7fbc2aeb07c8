import type { Socket } from 'node:net';
import { callerNetwork, FairShare, type FairShareLimits } from '#kit/std';

type Ended = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>;

/**
 * Connections without valid credentials so far, by address. Excess connections are dropped. Once valid credentials were
 * presented, a connection is exempt for the rest of its life.
 */
export class StrangerConnections {
  readonly #share: FairShare<Socket>;
  readonly #isProxy: (address: string) => boolean;
  /** Keyed by both addresses: with TLS a request has another socket object than the connection. */
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
    // A proxy carries connections of many clients, and its operator sets its limits.
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
