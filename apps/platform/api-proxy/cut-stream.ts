import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { statusOf } from '#contexts/api-proxy';
import type { EndCause, StreamEnd } from '#kit/http';
import type { ErrorCategory } from '#kit/std';

const NEWLINE = 10;
/** For a client that does not read the last line. */
const LAST_LINE_MS = 1_000;

const CATEGORY: Readonly<Record<EndCause, ErrorCategory>> = {
  credentialsEnded: 'unauthenticated',
  permissionLost: 'forbidden',
  notConfirmed: 'unavailable',
  tooOld: 'timeout',
};

/** The events of a watch on their way to a client. Only between two events can another one be inserted. */
export class WatchAnswer {
  readonly #incoming: IncomingMessage;
  #isBetween = true;

  private constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    incoming.on('data', (chunk: Buffer) => {
      this.#isBetween = chunk.at(-1) === NEWLINE;
    });
  }

  /** `undefined` for a response that is not a stream of JSON lines. */
  static of(incoming: IncomingMessage): WatchAnswer | undefined {
    const { 'content-type': type = '', 'content-encoding': encoding } = incoming.headers;
    const isLines = incoming.statusCode === 200 && encoding === undefined && /^application\/json(?:;|$)/.test(type);
    return isLines ? new WatchAnswer(incoming) : undefined;
  }

  /** Ends the stream with the reason as its last event. Returns whether that was possible. */
  endWith(response: ServerResponse, { cause, message }: StreamEnd): boolean {
    if (!this.#isBetween || response.writableLength > 0 || response.writableEnded) return false;
    this.#incoming.unpipe(response);
    const event = { type: 'ERROR', object: statusOf(CATEGORY[cause], message) };
    const over = (): void => {
      clearTimeout(timer);
      response.destroy();
      this.#incoming.destroy();
    };
    const timer = setTimeout(over, LAST_LINE_MS);
    response.end(`${JSON.stringify(event)}\n`, over);
    return true;
  }
}

/** Stops both directions at once. A watch receives the reason; other protocols have no place for it. */
export function cutStream(end: Duplex | ServerResponse, watch: WatchAnswer | undefined, why: StreamEnd): void {
  if (end instanceof ServerResponse && watch?.endWith(end, why) === true) return;
  end.destroy();
}
