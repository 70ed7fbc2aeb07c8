import { type Clock, type Sleep, unlessAborted } from '#kit/std';
import { ChannelError } from '../../domain/channel-error.ts';
import { type ControlReply, isKeyed, type ReverseMode } from '../../domain/control-message.ts';
import type { OpenFrame } from '../../domain/frame.ts';
import type { Admission } from '../acceptor.ts';
import { type ByteHandlers, type ByteStream, LinkedBytes } from '../byte-stream.ts';
import type { FrameLink, LinkHandlers } from '../link.ts';
import type { FleetletSession } from './fleetlet-session.ts';

/** A stream that a fleetlet is asked to open. */
export interface StreamWanted {
  readonly target: string;
  readonly channel: string;
  readonly mode: ReverseMode;
  /** A secret for the end that serves the stream. An end that does not support keys is refused. */
  readonly key?: Uint8Array;
}

/** Handles the stream once it is open; the handler sends `opened` itself. */
export type TakeStream = (link: FrameLink, open: OpenFrame, version: number) => LinkHandlers;

export interface ReverseStreamsDeps {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly newId: () => string;
  readonly tell: (session: FleetletSession, reply: ControlReply) => void;
  /** How long the fleetlet may take to call back; default 10 s. */
  readonly withinMs?: number;
  /** How many calls may be pending at once; default 1,000. */
  readonly most?: number;
}

interface Expected {
  readonly session: FleetletSession;
  readonly wanted: StreamWanted;
  readonly take: TakeStream;
  readonly came: () => void;
  readonly refused: (error: ChannelError) => void;
}

const WITHIN_MS = 10_000;
const MOST = 1_000;
const NO_KEY = new Uint8Array();

/** Fleetlets cannot be dialled, so they are asked to call back, with a one-time secret. */
export class ReverseStreams {
  readonly #deps: ReverseStreamsDeps;
  readonly #expected = new Map<string, Expected>();

  constructor(deps: ReverseStreamsDeps) {
    this.#deps = deps;
  }

  /** Resolves once the fleetlet has called back. */
  async open(session: FleetletSession, wanted: StreamWanted & { readonly take: TakeStream }, signal: AbortSignal) {
    const { clock, sleep, newId, tell, withinMs = WITHIN_MS, most = MOST } = this.#deps;
    signal.throwIfAborted();
    const what = `open ${wanted.channel} of target ${wanted.target}`;
    if (this.#expected.size >= most)
      throw new ChannelError('SESSION_GONE', `${what}: ${most} streams are pending already`);
    const { take, ...asked } = wanted;
    const [stream, over] = [newId(), new AbortController()];
    const { promise: came, resolve, reject: refused } = Promise.withResolvers<void>();
    this.#expected.set(stream, { session, wanted: asked, take, came: resolve, refused });
    tell(session, { request: 0, kind: 'openStream', stream, key: NO_KEY, ...asked, deadline: clock.now() + withinMs });
    const late = sleep(withinMs, AbortSignal.any([signal, over.signal])).then(() => {
      throw new ChannelError('SESSION_GONE', `${what}: the fleetlet did not call back within ${withinMs} ms`);
    });
    try {
      await unlessAborted(Promise.race([came, late]), signal);
    } finally {
      over.abort();
      late.catch(() => {});
      this.#expected.delete(stream);
    }
  }

  /** The fleetlet is disconnected: what it was asked for would be cut with the connection. */
  cut(session: FleetletSession): void {
    for (const [stream, { session: of, wanted, refused }] of this.#expected) {
      if (of !== session) continue;
      this.#expected.delete(stream);
      const what = `open ${wanted.channel} of target ${wanted.target}`;
      refused(new ChannelError('SESSION_GONE', `${what}: its fleetlet has disconnected`));
    }
  }

  /** `undefined`: no such stream was asked for. */
  admit(session: FleetletSession, open: OpenFrame): Admission | undefined {
    const expected = this.#expected.get(open.stream);
    if (expected === undefined || expected.session !== session || expected.wanted.channel !== open.channel) {
      return undefined;
    }
    this.#expected.delete(open.stream);
    const { channel, target, key } = expected.wanted;
    if (key !== undefined && !isKeyed(open)) {
      const message =
        'the agent or its fleetlet is of an older release and does not support authenticated requests; upgrade both';
      expected.refused(new ChannelError('UPGRADE_NEEDED', `open ${channel} of target ${target}: ${message}`));
      return { kind: 'refused', reason: 'version', message };
    }
    return {
      kind: 'raw',
      take: (link, opened, version) => {
        expected.came();
        return expected.take(link, opened, version);
      },
    };
  }
}

/** Takes a stream of bytes. */
export function takeBytes(
  session: string,
  handlers: ByteHandlers,
): { readonly take: TakeStream; readonly stream: Promise<ByteStream> } {
  const { promise: stream, resolve } = Promise.withResolvers<ByteStream>();
  const take: TakeStream = (link, { memory, window }, version) => {
    link.send({ kind: 'opened', version, session, memory, window });
    const bytes = new LinkedBytes(link, handlers);
    resolve(bytes);
    return bytes;
  };
  return { take, stream };
}
