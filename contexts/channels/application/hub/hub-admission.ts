import type { CloseFrame, CloseReason, OpenFrame } from '../../domain/frame.ts';
import type { Admission } from '../acceptor.ts';
import type { LinkPeer } from '../link.ts';
import type { ChannelHandler, FleetletSession } from './fleetlet-session.ts';
import type { Activity, Authentication, HubFact } from './ports.ts';
import type { ReverseStreams } from './reverse-streams.ts';
import type { SessionTable } from './session-table.ts';

export interface HubAdmissionDeps {
  readonly activity: () => Activity;
  readonly authenticate: (peer: LinkPeer, signal: AbortSignal) => Promise<Authentication>;
  readonly sessions: SessionTable;
  readonly reverse: ReverseStreams;
  readonly handlers: ReadonlyMap<string, ChannelHandler>;
  /** Admits streams with a ticket; missing where tickets are not supported. */
  readonly ticketed: ((fleetlet: string, open: OpenFrame) => Promise<Admission>) | undefined;
  /** Prepares the first messages to a fleetlet, before its control stream is opened; the returned function sends them. */
  readonly greet: (session: FleetletSession, known: Known, signal: AbortSignal) => Promise<() => void>;
  readonly replaced: (session: FleetletSession) => void;
  /** Its fleetlet has shown something newer than what its streams were opened with. `isResumed`: by the same process. */
  readonly outdated: (session: FleetletSession, isResumed: boolean) => void;
  readonly connected: (session: FleetletSession, peer: LinkPeer) => void;
  readonly disconnected: (session: FleetletSession, why: Why | undefined) => void;
  readonly onFact: (fact: HubFact) => void;
}

export type Known = Extract<Authentication, { kind: 'known' }>;
type Why = Omit<CloseFrame, 'kind'>;

const CONTROL = 'control';

/** Decides whether a stream may be opened, and to what it leads. */
export class HubAdmission {
  readonly #deps: HubAdmissionDeps;
  readonly #owners = new WeakMap<OpenFrame, FleetletSession>();

  constructor(deps: HubAdmissionDeps) {
    this.#deps = deps;
  }

  /** The session of an admitted stream. */
  ownerOf(open: OpenFrame): FleetletSession | undefined {
    return this.#owners.get(open);
  }

  async admit(open: OpenFrame, peer: LinkPeer, signal: AbortSignal): Promise<Admission> {
    const admission = await this.#decide(open, peer, signal);
    if (admission.kind === 'refused') {
      const { reason, message } = admission;
      this.#deps.onFact({ kind: 'refused', reason, message, address: peer.address });
    }
    return admission;
  }

  async #decide(open: OpenFrame, peer: LinkPeer, signal: AbortSignal): Promise<Admission> {
    const activity = this.#deps.activity();
    if (activity.kind !== 'active') {
      const { reason, message, retryAfterMs } = activity;
      return refused(reason, message, retryAfterMs);
    }
    const known = await this.#deps.authenticate(peer, signal);
    if (known.kind === 'refused') return known;
    const handler = this.#deps.handlers.get(open.channel);
    const { ticketed } = this.#deps;
    const isTicketed = open.stream === '' && open.ticket.length > 0 && ticketed !== undefined;
    if (open.stream === '' && handler === undefined && !isTicketed) {
      return refused('unknownChannel', `there is no channel ${open.channel}`);
    }
    if (this.#isOutdated(open, known)) {
      return refused('unauthenticated', 'this fleetlet is connected with a newer certificate');
    }
    const session = this.#sessionOf(open, known);
    if (session === undefined) return refused('superseded', 'a later process of this fleetlet is connected');
    const admission = isTicketed
      ? await ticketed(session.fleetlet, open)
      : open.stream === '' && handler !== undefined
        ? await this.#channel(session, { open, peer, handler, known }, signal)
        : this.#deps.reverse.admit(session, open);
    if (admission?.kind !== 'refused') this.#owners.set(open, session);
    return admission ?? refused('forbidden', `the stream ${open.stream} was not asked for`);
  }

  /** Of what a fleetlet shows, only the newest counts: a copy of an earlier one is kept out, and its streams end. */
  #isOutdated({ session: id }: OpenFrame, { uid, issuedAt }: Known): boolean {
    const current = this.#deps.sessions.of(uid);
    if (current === undefined || issuedAt === current.issuedAt) return false;
    if (issuedAt < current.issuedAt) return true;
    current.issuedAt = issuedAt;
    this.#deps.outdated(current, current.id === id);
    return false;
  }

  #sessionOf(open: OpenFrame, { uid, issuedAt }: Known): FleetletSession | undefined {
    const found = this.#deps.sessions.find(uid, open.session);
    if (found.kind === 'superseded') return undefined;
    if (found.replaced !== undefined) this.#deps.replaced(found.replaced);
    found.session.issuedAt = issuedAt;
    return found.session;
  }

  async #channel(
    session: FleetletSession,
    its: {
      readonly open: OpenFrame;
      readonly peer: LinkPeer;
      readonly handler: ChannelHandler;
      readonly known: Known;
    },
    signal: AbortSignal,
  ): Promise<Admission> {
    const { open, peer, handler, known } = its;
    if (open.mode !== handler.mode) return refused('forbidden', `${open.channel} is a ${handler.mode} channel`);
    const greeting = open.channel === CONTROL ? await this.#deps.greet(session, known, signal) : undefined;
    // The session may have ended while the greeting was prepared.
    if (this.#deps.sessions.of(session.fleetlet) !== session) return refused('unavailable', 'the session was ended');
    const channel = session.part(open, handler);
    if (typeof channel === 'string') return refused('tooMany', channel);
    if (greeting === undefined) return { kind: 'channel', channel };
    return {
      kind: 'channel',
      channel,
      detached: this.#attach(session, { open, peer, notAfter: known.notAfter, greeting }),
    };
  }

  /** Marks the session as connected; returns the function that marks it as disconnected. */
  #attach(
    session: FleetletSession,
    its: {
      readonly open: OpenFrame;
      readonly peer: LinkPeer;
      readonly notAfter: number;
      readonly greeting: () => void;
    },
  ): (why: Why | undefined) => void {
    session.control = its.open;
    session.notAfter = its.notAfter;
    session.address = its.peer.address;
    its.greeting();
    this.#deps.connected(session, its.peer);
    return (why) => {
      if (session.control !== its.open) return;
      this.#deps.disconnected(session, why);
    };
  }
}

function refused(reason: CloseReason, message: string, retryAfterMs?: number): Admission {
  return { kind: 'refused', reason, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
