import type { Socket } from 'node:net';

/** In one turn of the event loop. */
const AT_ONCE = 8;

/**
 * DECISION: connections that end at the same moment are closed a few per turn. The consequences of one end take some tenths of
 * a millisecond: TLS, each HTTP/2 stream, each channel on it. Node closes everything that ended in one turn before anything
 * else runs, so a thousand ends would block all other work for a quarter of a second.
 */
export class EndsInTurns {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #inThisTurn = 0;
  #willGoOn = false;

  constructor(atOnce = AT_ONCE) {
    this.#atOnce = atOnce;
  }

  /** From now on the close of this socket is queued, whichever side ends it. */
  watch(socket: Socket): void {
    const close = socket._destroy.bind(socket);
    socket._destroy = (error, done) => this.#add(() => close(error, done));
  }

  #add(close: () => void): void {
    this.#waiting.push(close);
    this.#closeSome();
    if (this.#willGoOn) return;
    this.#willGoOn = true;
    setImmediate(() => this.#endTurn());
  }

  /** These closes still belong to this turn: Node emits close events after its immediates. */
  #endTurn(): void {
    this.#closeSome();
    this.#inThisTurn = 0;
    this.#willGoOn = this.#waiting.length > 0;
    if (this.#willGoOn) setImmediate(() => this.#endTurn());
  }

  #closeSome(): void {
    const next = this.#waiting.splice(0, this.#atOnce - this.#inThisTurn);
    this.#inThisTurn += next.length;
    for (const close of next) close();
  }
}
