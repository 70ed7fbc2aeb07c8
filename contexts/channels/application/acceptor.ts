import { type Clock, callerNetwork, FairShare, type FairShareLimits, type Sleep } from '#kit/std';
import type { OpenFrame } from '../domain/frame.ts';
import { negotiate } from '../domain/negotiate.ts';
import { openFault } from '../domain/open-fault.ts';
import { AcceptedStream, type Admission, type StreamOwner, type Why } from './accepted-stream.ts';
import type { LinkedChannel } from './channel.ts';
import { LEAD_CHANNEL, MISSED_BEATS } from './heartbeat.ts';
import type { AcceptLink, LinkPeer } from './link.ts';
import { MalformedTally } from './malformed-tally.ts';

export type { Admission };

type Match = (open: OpenFrame, peer: LinkPeer) => boolean;

export interface AcceptorDeps {
  /** An error thrown here refuses the stream as `unavailable`. After the signal aborts the answer is ignored. */
  readonly admit: (open: OpenFrame, peer: LinkPeer, signal: AbortSignal) => Admission | Promise<Admission>;
  /** Identifies this process for its lifetime. */
  readonly session: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** A `control` stream, or one that has ever pinged, is destroyed after three heartbeats of silence. */
  readonly heartbeatMs: number;
  /** From the start of a stream until it is admitted; default 10 s. */
  readonly openWithinMs?: number;
  /** Default 256. */
  readonly maxStreamsPerSession?: number;
  /** Limits for streams of untrusted peers that are not admitted yet. */
  readonly strangers?: FairShareLimits;
  readonly onMalformed?: (peer: LinkPeer, message: string) => void;
  /** Receives errors thrown by `admit`. */
  readonly onError?: (error: unknown) => void;
}

/** The accepting end of streams: at the platform, at a fleetlet's local side, and at a fleetlet that others dial directly. */
export interface Acceptor {
  readonly accept: AcceptLink;
  /** One timer for all streams. Unless it runs, silent streams are never given up. */
  run(signal: AbortSignal): Promise<void>;
  /** Closes all admitted streams that match, after the frames already sent; with `session`, only streams of that session. */
  closeWhere(match: Match, why: Why, session?: string): void;
  /** The same, but immediately; for dead connections. */
  destroyWhere(match: Match, session?: string): void;
  /** Sends `resumed` to the peer that has this channel open. */
  tellResumed(channel: LinkedChannel): void;
}

export function createAcceptor(deps: AcceptorDeps): Acceptor {
  return new StreamAcceptor(deps);
}

/** Limits for untrusted peers. Streams of trusted peers are bounded by their connections. */
export const STRANGERS_UNOPENED: FairShareLimits = { total: 1_024, each: 512 };
/** Refused streams whose other end does not know yet. Beyond this number the oldest is cut. */
const MAX_REFUSED = 1_024;

interface Session {
  readonly streams: Set<AcceptedStream>;
  tally: MalformedTally | undefined;
}

class StreamAcceptor implements Acceptor, StreamOwner {
  readonly #deps: AcceptorDeps;
  readonly #unopened = new Set<AcceptedStream>();
  readonly #strangers: FairShare<AcceptedStream>;
  /** The value is the time of the refusal. */
  readonly #refused = new Map<AcceptedStream, number>();
  readonly #admitted = new Set<AcceptedStream>();
  readonly #attached = new Map<LinkedChannel, AcceptedStream>();
  /**
   * Keyed by the name that the peer chose and the address that it cannot choose: knowing another peer's session name is of no
   * use.
   */
  readonly #sessions = new Map<string, Session>();
  readonly #bySession = new Map<string, Set<AcceptedStream>>();

  constructor(deps: AcceptorDeps) {
    this.#deps = deps;
    this.#strangers = new FairShare(deps.strangers ?? STRANGERS_UNOPENED);
  }

  readonly accept: AcceptLink = (link) => {
    const stream = new AcceptedStream(this, link, this.#deps.clock.now());
    this.#unopened.add(stream);
    if (link.peer.isTrusted !== true) {
      const displaced = this.#strangers.add(callerNetwork(link.peer.address), stream);
      displaced?.refuse('tooMany', 'too many streams are being opened');
    }
    return stream;
  };

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#deps.sleep(this.#deps.heartbeatMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      this.#sweep();
    }
  }

  closeWhere(match: Match, why: Why, session?: string): void {
    for (const stream of this.#matching(match, session)) stream.close(why);
  }

  destroyWhere(match: Match, session?: string): void {
    for (const stream of this.#matching(match, session)) stream.link.destroy();
  }

  tellResumed(channel: LinkedChannel): void {
    this.#attached.get(channel)?.link.send({ kind: 'resumed' });
  }

  opening(stream: AcceptedStream, open: OpenFrame): void {
    const fault = openFault(open);
    if (fault) {
      stream.refuse('malformed', fault);
      return;
    }
    const negotiated = negotiate(open);
    if (negotiated.kind === 'none') {
      stream.refuse('version', negotiated.message);
      return;
    }
    const key = sessionKey(stream, open);
    const session = this.#sessions.get(key) ?? { streams: new Set(), tally: undefined };
    const most = this.#deps.maxStreamsPerSession ?? 256;
    if (session.streams.size >= most) {
      stream.refuse('tooMany', `a session has at most ${most} streams`);
      return;
    }
    session.streams.add(stream);
    this.#sessions.set(key, session);
    this.#bySession.set(open.session, (this.#bySession.get(open.session) ?? new Set()).add(stream));
    this.#admit(stream, open, negotiated.version);
  }

  admitted(stream: AcceptedStream): void {
    this.#opened(stream);
    this.#admitted.add(stream);
    stream.link.admit?.();
    if (stream.open?.channel === LEAD_CHANNEL) stream.link.keepShort?.();
  }

  ended(stream: AcceptedStream): void {
    if (!this.#unopened.has(stream)) return;
    this.#opened(stream);
    this.#refused.set(stream, this.#deps.clock.now());
    const [oldest] = this.#refused.size > MAX_REFUSED ? this.#refused.keys() : [];
    if (oldest === undefined) return;
    this.#refused.delete(oldest);
    oldest.link.destroy();
  }

  attach(stream: AcceptedStream, open: OpenFrame, channel: LinkedChannel): void {
    // Drops a stream that is dead but not noticed yet. From here on the end of that stream does not affect the channel.
    const { memory, window } = channel.handshake();
    this.#attached.set(channel, stream);
    stream.link.send({ kind: 'opened', version: stream.version, session: this.#deps.session, memory, window });
    channel.attach(stream.link, open);
  }

  isAttached(stream: AcceptedStream, channel: LinkedChannel): boolean {
    return this.#attached.get(channel) === stream;
  }

  detach(stream: AcceptedStream, channel: LinkedChannel): boolean {
    if (!this.isAttached(stream, channel)) return false;
    this.#attached.delete(channel);
    channel.detach(stream.link);
    return true;
  }

  forget(stream: AcceptedStream): void {
    this.#opened(stream);
    this.#refused.delete(stream);
    this.#admitted.delete(stream);
    const { open } = stream;
    if (!open) return;
    const [key, named] = [sessionKey(stream, open), this.#bySession.get(open.session)];
    const session = this.#sessions.get(key);
    session?.streams.delete(stream);
    named?.delete(stream);
    if (session?.streams.size === 0) this.#sessions.delete(key);
    if (named?.size === 0) this.#bySession.delete(open.session);
  }

  malformed(stream: AcceptedStream, message: string): void {
    const { open, link } = stream;
    this.#deps.onMalformed?.(link.peer, message);
    const session = open && this.#sessions.get(sessionKey(stream, open));
    if (!session) return;
    session.tally ??= new MalformedTally(this.#deps.clock);
    if (!session.tally.add()) return;
    const why: Why = { reason: 'malformed', message: 'too many malformed frames', retryAfterMs: 0 };
    for (const each of session.streams) if (this.#admitted.has(each)) each.close(why);
  }

  #admit(stream: AcceptedStream, open: OpenFrame, version: number): void {
    const failed = (error: unknown): void => {
      this.#deps.onError?.(error);
      stream.refuse('unavailable', 'the permission check failed; try again');
    };
    try {
      const admission = this.#deps.admit(open, stream.link.peer, stream.begins(open, version));
      if (admission instanceof Promise) admission.then((late) => stream.take(late)).catch(failed);
      else stream.take(admission);
    } catch (error) {
      failed(error);
    }
  }

  #opened(stream: AcceptedStream): void {
    this.#unopened.delete(stream);
    this.#strangers.delete(callerNetwork(stream.link.peer.address), stream);
  }

  #sweep(): void {
    const late = this.#deps.clock.now() - (this.#deps.openWithinMs ?? 10_000);
    for (const stream of this.#unopened) {
      if (stream.since <= late) stream.refuse('unavailable', 'the stream was not opened in time');
    }
    for (const [stream, since] of this.#refused) {
      if (since <= late) stream.link.destroy();
    }
    for (const stream of this.#admitted) {
      if (stream.missedBeats() >= MISSED_BEATS) stream.link.destroy();
    }
  }

  /**
   * Returns a copy, because closing a stream may change the set. With a session only its own streams are scanned: when many
   * sessions are cut at once, each of them calls this.
   */
  #matching(match: Match, session: string | undefined): AcceptedStream[] {
    const among = session === undefined ? this.#admitted : (this.#bySession.get(session) ?? []);
    const isMatch = (stream: AcceptedStream): boolean =>
      stream.open !== undefined && this.#admitted.has(stream) && match(stream.open, stream.link.peer);
    return Array.from(among).filter(isMatch);
  }
}

function sessionKey({ link }: AcceptedStream, { session }: OpenFrame): string {
  return `${link.peer.address} ${session}`;
}
