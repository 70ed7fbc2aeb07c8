import type { OpenFrame } from '../../domain/frame.ts';
import type { AcceptLink, LinkHandlers } from '../link.ts';

/**
 * Sees which streams have said at least once that they are there. The acceptor misses those who have pinged and fall silent;
 * one that opens its control stream and is never heard of again would be taken for connected, for as long as the
 * operating system believes in the connection.
 */
export class FirstBeats {
  readonly #beating = new WeakSet<OpenFrame>();

  has(open: OpenFrame): boolean {
    return this.#beating.has(open);
  }

  watched(accept: AcceptLink): AcceptLink {
    return (link) => this.#watch(accept(link));
  }

  #watch(handlers: LinkHandlers): LinkHandlers {
    let open: OpenFrame | undefined;
    return {
      frame: (frame) => {
        if (frame.kind === 'open') open ??= frame;
        else if (frame.kind === 'ping' && open !== undefined) this.#beating.add(open);
        handlers.frame(frame);
      },
      room: () => handlers.room(),
      closed: (why) => handlers.closed(why),
      malformed: (message) => handlers.malformed?.(message),
    };
  }
}
