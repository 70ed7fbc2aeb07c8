import type { DirectAddress } from '../application/data/data-source.ts';
import type { FrameLink, LinkConnection, LinkHandlers } from '../application/link.ts';
import type { TestFleetlet } from './fleet-world.ts';

/** The network between two fleetlets, in memory and controlled by the test. */
export class DirectWay {
  readonly #to: () => TestFleetlet;
  readonly #caller: string;
  readonly #connections = new Set<LinkConnection>();
  readonly dialled: DirectAddress[] = [];
  isReachable = true;
  /** Drops everything silently. */
  isBlocked = false;

  constructor(caller: string, to: () => TestFleetlet) {
    this.#caller = caller;
    this.#to = to;
  }

  readonly dial = async (to: DirectAddress): Promise<LinkConnection> => {
    this.dialled.push(to);
    if (!this.isReachable || this.isBlocked) throw new Error('nobody answers');
    const connection = await this.#to().dialledBy(this.#caller);
    this.#connections.add(connection);
    return { ...connection, open: (handlers) => this.#through(connection, handlers), close: () => connection.close() };
  };

  async cut(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close()));
    this.#connections.clear();
  }

  #through(connection: LinkConnection, handlers: LinkHandlers): FrameLink {
    const link = connection.open({
      frame: (frame) => {
        if (!this.isBlocked) handlers.frame(frame);
      },
      room: () => {
        if (!this.isBlocked) handlers.room();
      },
      closed: (why) => handlers.closed(why),
    });
    return {
      peer: link.peer,
      send: (frame) => (this.isBlocked ? true : link.send(frame)),
      pause: () => link.pause(),
      resume: () => link.resume(),
      close: (why) => link.close(why),
      destroy: () => link.destroy(),
    };
  }
}
