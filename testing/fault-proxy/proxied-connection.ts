import type { Socket } from 'node:net';
import { ProxiedPipe } from './proxied-pipe.ts';
import type { Weather } from './weather.ts';

/** `reset`: RST, as after a crash. `end`: FIN, as after an exit. */
export type CutHow = 'reset' | 'end';

interface ProxiedConnectionOptions {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly weather: () => Weather;
  readonly allowance: (bytes: number) => number;
  readonly gone: () => void;
}

/** Both directions of one connection through the proxy. */
export class ProxiedConnection {
  readonly #sockets: readonly Socket[];
  readonly #pipes: readonly ProxiedPipe[];
  readonly #gone: () => void;
  #isOver = false;

  constructor({ client, upstream, weather, allowance, gone }: ProxiedConnectionOptions) {
    this.#sockets = [client, upstream];
    this.#gone = gone;
    this.#pipes = [
      new ProxiedPipe({ from: client, to: upstream, direction: 'up', weather, allowance }),
      new ProxiedPipe({ from: upstream, to: client, direction: 'down', weather, allowance }),
    ];
    for (const socket of this.#sockets) {
      socket.on('error', () => this.cut('reset'));
      // Closes by itself when both directions have ended: nothing is left to cut then.
      socket.once('close', () => this.cut('end'));
    }
  }

  pump(): void {
    for (const pipe of this.#pipes) pipe.pump();
  }

  cut(how: CutHow): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const pipe of this.#pipes) pipe.stop();
    for (const socket of this.#sockets) {
      // A socket that is already ending cannot be reset: libuv refuses, Node takes the socket for closed, and then loops
      // endlessly when it ends.
      if (how === 'end') socket.destroySoon();
      else if (socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
    this.#gone();
  }
}
