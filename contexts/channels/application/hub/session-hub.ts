import { ChannelError } from '../../domain/channel-error.ts';
import type { ControlReply } from '../../domain/control-message.ts';
import { drainDelay } from '../../domain/drain-delay.ts';
import type { CloseFrame, CloseReason, OpenFrame } from '../../domain/frame.ts';
import { type Acceptor, createAcceptor } from '../acceptor.ts';
import type { ByteHandlers, ByteStream } from '../byte-stream.ts';
import type { Outbound } from '../channel.ts';
import type { AcceptLink, LinkPeer } from '../link.ts';
import { ControlDesk } from './control-desk.ts';
import type { ChannelHandler, FleetletSession } from './fleetlet-session.ts';
import { HubAdmission, type Known } from './hub-admission.ts';
import { HUB_LIMITS, type HubLimits, type HubStats, type SessionHubDeps } from './hub-deps.ts';
import { MessageGate } from './message-gate.ts';
import type { Activity, Authentication, HubFact } from './ports.ts';
import { PresenceBatches } from './presence-batches.ts';
import { ReverseStreams, type StreamWanted, type TakeStream, takeBytes } from './reverse-streams.ts';
import { SessionTable } from './session-table.ts';
import type { SessionView } from './session-view.ts';
import { SyncPacer } from './sync-pacer.ts';
import { TargetDesk } from './target-desk.ts';

type Why = Omit<CloseFrame, 'kind'>;

const CONTROL = 'control';
const SWEEP_MS = 1_000;
/** A fleetlet embedded in this process needs no certificate, so its credentials never expire. */
const EMBEDDED = { kind: 'known', issuedAt: 0, notAfter: Number.POSITIVE_INFINITY, renewSoon: false } as const;

/**
 * The platform's side of all fleetlets: which are connected, through which session a target is reached, and how to send to it.
 * It makes few decisions itself; most of it wires its parts together.
 */
export class SessionHub {
  readonly #deps: SessionHubDeps;
  readonly #limits: HubLimits;
  readonly #handlers = new Map<string, ChannelHandler>();
  readonly #embedded = new WeakMap<LinkPeer, string>();
  readonly #sessions: SessionTable;
  readonly #batches: PresenceBatches;
  readonly #pacer: SyncPacer;
  readonly #targets: TargetDesk;
  readonly #gate: MessageGate;
  readonly #reverse: ReverseStreams;
  readonly #admission: HubAdmission;
  readonly #acceptor: Acceptor;
  #drained: Activity | undefined;

  constructor(deps: SessionHubDeps) {
    this.#deps = deps;
    this.#limits = { ...HUB_LIMITS, ...deps.limits };
    const { syncsAtOnce: most, syncWithinMs, streamWithinMs } = this.#limits;
    this.#batches = new PresenceBatches({
      ...deps,
      onTrouble: (error, retryInMs) => this.#onFact({ kind: 'presenceTrouble', error, retryInMs }),
      onRefused: (target, error) => this.#onFact({ kind: 'presenceRefused', target, error }),
    });
    this.#pacer = new SyncPacer({ most, withinMs: syncWithinMs, begin: (target) => this.#beginSync(target) });
    this.#targets = this.#newTargets();
    this.#gate = new MessageGate({
      ...deps,
      ...this.#limits,
      handlers: this.#handlers,
      targets: this.#targets,
    });
    this.#sessions = new SessionTable({ ...deps, ...this.#limits, gate: this.#gate });
    this.#reverse = new ReverseStreams({ ...deps, tell: this.#tell, withinMs: streamWithinMs });
    this.#admission = this.#newAdmission();
    this.#acceptor = this.#newAcceptor();
    const control = new ControlDesk({ ...deps, targets: this.#targets, tell: this.#tell, onFact: this.#onFact });
    this.#handlers.set(CONTROL, { mode: 'reliable', message: (message, from) => control.take(from.session, message) });
  }

  /** For every transport. */
  get accept(): AcceptLink {
    return this.#acceptor.accept;
  }

  /** For the fleetlet embedded in this process, which needs no credentials. */
  acceptEmbedded(fleetlet: string): AcceptLink {
    return (link) => {
      this.#embedded.set(link.peer, fleetlet);
      return this.#acceptor.accept(link);
    };
  }

  /** Register all handlers before the first connection; a channel without a handler is refused. */
  handle(channel: string, handler: ChannelHandler): void {
    if (this.#handlers.has(channel)) throw new TypeError(`channel ${channel} has two handlers`);
    this.#handlers.set(channel, handler);
  }

  /**
   * Waits while the fleetlet's buffer is full. `SESSION_GONE` when the target is not served, `CHANNEL_NOT_OPEN` when its
   * fleetlet has not opened the channel: it opens its channels one by one, some after its targets were accepted.
   */
  async send(channel: string, message: Outbound & { readonly target: string }, signal: AbortSignal): Promise<void> {
    const { target } = message;
    const what = `send on ${channel} to target ${target}`;
    const way = this.#speaker(target, what).channel(channel, target);
    if (way === undefined)
      throw new ChannelError('CHANNEL_NOT_OPEN', `${what}: its fleetlet has not opened the channel`);
    await way.send(message, signal);
    this.#deps.observer.message('out', channel, message.payload.length);
  }

  /** The target has finished its full sync. */
  synced(target: string): void {
    this.#pacer.done(target, this.#deps.clock.now());
  }

  /** Asks the fleetlet to open a stream; resolves once it is open. `take` sends `opened`. */
  async openStream(wanted: StreamWanted & { readonly take: TakeStream }, signal: AbortSignal): Promise<void> {
    const session = this.#speaker(wanted.target, `open ${wanted.channel} of target ${wanted.target}`);
    await this.#reverse.open(session, wanted, signal);
  }

  /** Like `openStream`, for bytes. */
  async openBytes(
    wanted: Omit<StreamWanted, 'mode'>,
    handlers: ByteHandlers,
    signal: AbortSignal,
  ): Promise<ByteStream> {
    const { take, stream } = takeBytes(this.#deps.session, handlers);
    await this.openStream({ ...wanted, mode: 'bytes', take }, signal);
    return await stream;
  }

  /** Like `openStream`, at a fleetlet, independent of its targets. */
  async openStreamAt(
    fleetlet: string,
    wanted: Omit<StreamWanted, 'target'> & { readonly take: TakeStream },
    signal: AbortSignal,
  ): Promise<void> {
    const session = this.#sessions.of(fleetlet);
    if (!session?.isLive) throw new ChannelError('SESSION_GONE', `open ${wanted.channel}: its reader is not connected`);
    await this.#reverse.open(session, { ...wanted, target: '' }, signal);
  }

  isConnected(fleetlet: string): boolean {
    return this.#sessions.of(fleetlet)?.isLive ?? false;
  }

  sessions(): SessionView[] {
    return this.#sessions.all().map((session) => session.view(this.#targets.targetsOf(session)));
  }

  /** To be called when the list of replicas has changed. */
  replicasChanged(): void {
    for (const session of this.#sessions.all()) this.#tellReplicas(session);
  }

  /** Ends the session at once, with everything that is remembered of it. */
  closeFleetlet(fleetlet: string, reason: CloseReason, message: string): void {
    const session = this.#sessions.of(fleetlet);
    if (session !== undefined) this.#end(session, { reason, message, retryAfterMs: 0 });
  }

  /** For metrics. */
  stats(): HubStats {
    const sessions = this.#sessions.all();
    return {
      sessions: sessions.filter(({ isLive }) => isLive).length,
      targets: this.#targets.size,
      bufferedBytes: sessions.reduce((sum, { buffered }) => sum + buffered, 0),
      syncs: this.#pacer.underWay,
      syncsWaiting: this.#pacer.waiting,
    };
  }

  /** Disconnects all fleetlets, staggering their return, and accepts no new ones. Saves the presence changes. */
  async drain(signal: AbortSignal): Promise<void> {
    const message = 'this process is shutting down; reconnect in a moment';
    const sessions = this.#sessions.all();
    const { length: count } = sessions;
    this.#drained = { kind: 'away', reason: 'draining', message, retryAfterMs: drainDelay(count, count) };
    for (const [index, session] of sessions.entries()) {
      this.#end(session, { reason: 'draining', message, retryAfterMs: drainDelay(index, count) });
    }
    await this.#batches.flush(signal);
  }

  /** Runs heartbeats, presence and cleanup until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#acceptor.run(signal), this.#batches.run(signal), this.#sweepUntil(signal)]);
  }

  #newTargets(): TargetDesk {
    return new TargetDesk({
      ...this.#deps,
      batches: this.#batches,
      maxTargets: this.#limits.targetsPerSession,
      tell: this.#tell,
      onServed: (session, target) => this.#gate.release(session, target),
      onLost: (_session, target) => this.#pacer.done(target, this.#deps.clock.now()),
      onFact: this.#onFact,
    });
  }

  #newAdmission(): HubAdmission {
    const { extension } = this.#deps;
    return new HubAdmission({
      activity: () => this.#drained ?? this.#deps.activity(),
      authenticate: (peer, signal) => this.#authenticate(peer, signal),
      sessions: this.#sessions,
      reverse: this.#reverse,
      handlers: this.#handlers,
      ticketed: extension && ((fleetlet, open) => extension.admit(fleetlet, open)),
      greet: (session, known, signal) => this.#greeting(session, known, signal),
      replaced: (session) => {
        this.#onFact({ kind: 'replaced', fleetlet: session.fleetlet });
        const message = 'a later process of this fleetlet has taken its place';
        this.#end(session, { reason: 'superseded', message, retryAfterMs: 0 });
      },
      outdated: (session, isResumed) => {
        const message = 'a newer certificate of this fleetlet is in use';
        if (isResumed) this.#expire(session, message);
        else this.#end(session, { reason: 'draining', message, retryAfterMs: 0 });
      },
      connected: (session, { address }) => {
        const isResumed = session.claims.size > 0;
        session.cutAt = undefined;
        session.connectedAt = this.#deps.clock.now();
        this.#onFact({ kind: 'connected', fleetlet: session.fleetlet, address, isResumed });
        this.#targets.resumed(session);
      },
      disconnected: (session, why) => this.#disconnected(session, why),
      onFact: this.#onFact,
    });
  }

  #newAcceptor(): Acceptor {
    return createAcceptor({
      ...this.#deps,
      admit: (open, peer, signal) => this.#admission.admit(open, peer, signal),
      maxStreamsPerSession: this.#limits.streamsPerSession,
      onMalformed: ({ address }, message) => this.#onFact({ kind: 'malformed', address, message }),
      onError: (error) => this.#onFact({ kind: 'trouble', what: 'admit a stream', fleetlet: '', error }),
    });
  }

  readonly #onFact = (fact: HubFact): void => this.#deps.observer.fact(fact);

  /** Disconnects a fleetlet whose control buffer is full. On its return it receives what is buffered, or starts over. */
  readonly #tell = (session: FleetletSession, reply: ControlReply): void => {
    const payload = this.#deps.codec.encodeReply(reply);
    if (session.channel(CONTROL, '')?.trySend({ payload }) === false) this.#destroy(session);
    // Only now: a fleetlet must not sync a target before it knows that the target was accepted.
    else if (reply.kind === 'targetAccepted') this.#pacer.want(reply.target, this.#deps.clock.now());
  };

  async #authenticate(peer: LinkPeer, signal: AbortSignal): Promise<Authentication> {
    const uid = this.#embedded.get(peer);
    return uid === undefined ? await this.#deps.directory.authenticate(peer, signal) : { ...EMBEDDED, uid };
  }

  async #greeting(session: FleetletSession, { renewSoon }: Known, signal: AbortSignal): Promise<() => void> {
    const { directory, heartbeatMs } = this.#deps;
    const { fleetlet } = session;
    const welcome = await directory.welcome(fleetlet, signal);
    return () => {
      this.#tell(session, { request: 0, kind: 'welcome', ...welcome, fleetlet, heartbeatMs });
      if (renewSoon) this.#tell(session, { request: 0, kind: 'renewCertificate' });
      this.#tellReplicas(session);
    };
  }

  #tellReplicas(session: FleetletSession): void {
    const replicas = this.#deps.directory.replicas?.() ?? [];
    if (replicas.length > 0) this.#tell(session, { request: 0, kind: 'replicaList', replicas });
  }

  #speaker(target: string, what: string): FleetletSession {
    const session = this.#targets.speaker(target);
    if (session === undefined) throw new ChannelError('SESSION_GONE', `${what}: no connected fleetlet serves it`);
    return session;
  }

  #beginSync(target: string): void {
    const session = this.#targets.speaker(target);
    if (session !== undefined) this.#tell(session, { request: 0, kind: 'syncNow', targets: [target] });
  }

  #disconnected(session: FleetletSession, why: Why | undefined): void {
    this.#cut(session, why?.message || why?.reason);
    // The fleetlet ended the session itself and does not return to it.
    if (why?.reason === 'done') this.#end(session, why);
    else this.#destroy(session);
  }

  #cut(session: FleetletSession, why: string | undefined): void {
    session.control = undefined;
    session.cutAt = this.#deps.clock.now();
    this.#targets.cut(session);
    this.#reverse.cut(session);
    this.#onFact({ kind: 'disconnected', fleetlet: session.fleetlet, why });
  }

  #examine(session: FleetletSession, now: number): void {
    if (!session.isLive || session.control === undefined) return;
    if (session.notAfter <= now) this.#expire(session, 'the certificate of this connection has expired');
  }

  /** The fleetlet may already have a new certificate, and resumes the session with it. */
  #expire(session: FleetletSession, message: string): void {
    if (session.isLive) this.#cut(session, message);
    const isIts = (open: OpenFrame): boolean => this.#admission.ownerOf(open) === session;
    this.#acceptor.closeWhere(isIts, { reason: 'draining', message, retryAfterMs: 0 }, session.id);
  }

  /** Destroys the connection of the control stream, with all other streams on it. */
  #destroy(session: FleetletSession): void {
    const { address, id } = session;
    const isOnIt = (open: OpenFrame, peer: LinkPeer): boolean =>
      this.#admission.ownerOf(open) === session && peer.address === address;
    this.#acceptor.destroyWhere(isOnIt, id);
  }

  #end(session: FleetletSession, why: Why): void {
    this.#sessions.forget(session);
    if (session.isLive) this.#cut(session, why.message);
    this.#targets.forget(session);
    this.#gate.forget(session);
    this.#acceptor.closeWhere((open) => this.#admission.ownerOf(open) === session, why, session.id);
    session.close(why);
    this.#deps.extension?.gone(session.fleetlet);
    this.#onFact({ kind: 'forgotten', fleetlet: session.fleetlet });
  }

  /** Another process is active for the platform now; fleetlets reconnect to that one. */
  #standBy(activity: Activity): void {
    if (activity.kind === 'active') return;
    for (const session of this.#sessions.all()) this.#end(session, activity);
  }

  async #sweepUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#deps.sleep(SWEEP_MS, signal).catch(() => {});
      const now = this.#deps.clock.now();
      this.#standBy(this.#deps.activity());
      for (const session of this.#sessions.sweep(now)) this.#end(session, FORGOTTEN);
      for (const session of this.#sessions.all()) this.#examine(session, now);
      this.#gate.sweep(now);
      this.#pacer.sweep(now);
    }
  }
}

const FORGOTTEN: Why = { reason: 'unavailable', message: 'the session was disconnected for too long', retryAfterMs: 0 };
