import type { Socket } from 'node:net';

/** In one turn of the event loop. */
const AT_ONCE = 8;

/**
 * DECISION: connections that end at the same moment are closed a few in a turn. What follows from one end takes some
 * tenths of a millisecond: TLS, each stream of HTTP/2, each channel on it. Node closes all that ended in one turn before
 * anything else has its own, so that for a thousand everybody else would wait for a quarter of a second.
 */
export class EndsInTurns {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #inThisTurn = 0;
  #willGoOn = false;

  constructor(atOnce = AT_ONCE) {
    this.#atOnce = atOnce;
  }

  /** From now on its end waits for its turn, whoever ends it. */
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

  /** What is closed here still belongs to it: Node tells of closes after its immediates. */
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
