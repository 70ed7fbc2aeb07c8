import type { Connect, LinkConnection } from '#contexts/channels';
import { aborted, type Random } from '#kit/std';
import { type Destination, inOrder, nameOf } from './destinations.ts';

export interface ReplicaConnectionsDeps {
  readonly destinations: () => readonly Destination[];
  readonly dial: (to: Destination, signal: AbortSignal) => Promise<LinkConnection>;
  readonly random: Random;
  /** How long one replica may take, as long as there is another to try; default 3 s. */
  readonly dialWithinMs?: number;
}

/**
 * Connections of both classes go to the same replica, since it has the session: a new control connection tries the known
 * replicas, and bulk goes where control was accepted. When control moves, bulk follows it.
 */
export class ReplicaConnections {
  readonly #deps: ReplicaConnectionsDeps;
  #last: Destination | undefined;
  /** Set from the acceptance to the next attempt. */
  #accepted: Destination | undefined;
  #home: Destination | undefined;
  #bulkMoves: AbortController | undefined;

  constructor(deps: ReplicaConnectionsDeps) {
    this.#deps = deps;
  }

  /** To be called when the platform has accepted the control connection made last. */
  accepted(): void {
    const [home, to] = [this.#home, this.#last];
    this.#accepted = to;
    this.#home = to;
    if (home === undefined || to === undefined || nameOf(home) === nameOf(to)) return;
    this.#bulkMoves?.abort(new Error('control is at another replica now'));
  }

  readonly control: Connect = async (signal) => {
    const { destinations, dial, random, dialWithinMs = 3_000 } = this.#deps;
    const order = inOrder(destinations(), { accepted: this.#accepted, last: this.#last }, random);
    this.#accepted = undefined;
    let failure: unknown;
    for (const [nth, to] of order.entries()) {
      this.#last = to;
      const isLast = nth === order.length - 1;
      try {
        // A replica that was stopped or cut off does not answer at all: the others are not to wait for it.
        return await dial(to, isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(dialWithinMs)]));
      } catch (error) {
        signal.throwIfAborted();
        failure ??= error;
      }
    }
    throw failure;
  };

  readonly bulk: Connect = async (signal) => {
    const home = this.#home;
    if (home === undefined) throw new Error('no replica has accepted this fleetlet yet');
    this.#bulkMoves = new AbortController();
    const { signal: moves } = this.#bulkMoves;
    const connection = await this.#deps.dial(home, AbortSignal.any([signal, moves]));
    return {
      open: (handlers) => connection.open(handlers),
      closed: Promise.race([connection.closed, aborted(moves)]),
      close: () => connection.close(),
    };
  };
}
