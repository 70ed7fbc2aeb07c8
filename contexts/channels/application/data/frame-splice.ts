import type { CloseFrame, Frame, OpenFrame } from '../../domain/frame.ts';
import type { FrameLink, LinkHandlers } from '../link.ts';

type Why = Omit<CloseFrame, 'kind'>;

const FORTH: ReadonlySet<Frame['kind']> = new Set(['message', 'chunk', 'ack']);
const BACK: ReadonlySet<Frame['kind']> = new Set(['opened', 'message', 'chunk', 'ack']);

/**
 * Joins two streams into one: each frame is forwarded unchanged to the other stream. Nothing is buffered: a slow side slows the
 * other, and when one ends, so does the other. Implements the handlers of the first stream.
 */
export class FrameSplice implements LinkHandlers {
  readonly #link: FrameLink;
  readonly #open: OpenFrame;
  readonly #gone = new AbortController();
  #other: FrameLink | undefined;
  #over = false;

  constructor(link: FrameLink, open: OpenFrame) {
    this.#link = link;
    this.#open = open;
  }

  /** Aborts when the splice ends. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Joins the second stream, which is open: it receives the `open` frame of the first one first. */
  join(other: FrameLink): LinkHandlers {
    if (this.#over) other.close(LOST);
    else {
      this.#other = other;
      other.send(this.#open);
    }
    return {
      frame: (frame) => this.#pass(frame, { kinds: BACK, from: other, to: this.#link }),
      room: () => this.#link.resume(),
      closed: (why) => this.end(why ?? LOST),
    };
  }

  /** Closes both streams. */
  end(why: Why): void {
    if (this.#over) return;
    this.#over = true;
    this.#link.close(why);
    this.#other?.close(why);
    this.#gone.abort();
  }

  frame(frame: Frame): void {
    if (this.#other) this.#pass(frame, { kinds: FORTH, from: this.#link, to: this.#other });
    else this.end(unexpected(frame));
  }

  room(): void {
    this.#other?.resume();
  }

  closed(why: Why | undefined): void {
    this.end(why ?? LOST);
  }

  #pass(
    frame: Frame,
    way: { readonly kinds: ReadonlySet<Frame['kind']>; readonly from: FrameLink; readonly to: FrameLink },
  ): void {
    if (this.#over || frame.kind === 'pong') return;
    if (!way.kinds.has(frame.kind)) return this.end(unexpected(frame));
    if (!way.to.send(frame)) way.from.pause();
  }
}

const LOST: Why = { reason: 'unavailable', message: 'the other end was lost', retryAfterMs: 0 };

function unexpected({ kind }: Frame): Why {
  return { reason: 'malformed', message: `${kind} is not expected here`, retryAfterMs: 0 };
}
