import { mayOpen, maySend } from '../../domain/channel-acl.ts';
import type { ControlReply, ControlRequest, Welcome } from '../../domain/control-message.ts';
import { channelOfReadEnd, isDataChannel, readEndOf } from '../../domain/data-channel.ts';
import type { ChannelMode, CloseFrame, OpenFrame } from '../../domain/frame.ts';
import { type Acceptor, type Admission, createAcceptor } from '../acceptor.ts';
import type { Channel, Inbound } from '../channel.ts';
import { DataDesk, type DataPorts } from '../data/data-desk.ts';
import type { AcceptLink, LinkPeer } from '../link.ts';
import type { ConnectionClass } from '../uplink.ts';
import { AccessDesk } from './access-desk.ts';
import { BROKER_LIMITS, type BrokerDeps, type BrokerLimits, type BrokerStats } from './broker-deps.ts';
import type { LocalAuthenticator } from './local-authenticator.ts';
import { LocalCredentials } from './local-credentials.ts';
import type { LocalEnd, LocalSession } from './local-session.ts';
import { LocalSessions } from './local-sessions.ts';
import { Relay } from './relay.ts';
import { TargetRegistry } from './target-registry.ts';
import { refuseTunnel, tunnelThrough } from './tunnel.ts';

const TICK_MS = 1_000;
const TICKS_PER_RETRY = 5;
const TICKS_PER_CHECK = 30;

/** The core of a fleetlet: connects local processes on one side with the platform on the other. */
export class Broker {
  readonly #deps: BrokerDeps;
  readonly #limits: BrokerLimits;
  readonly #sessions: LocalSessions;
  readonly #targets: TargetRegistry;
  readonly #desk: AccessDesk;
  readonly #relays = new Map<string, Relay>();
  readonly #acceptors: Acceptor[] = [];
  readonly #credentials: LocalCredentials[] = [];
  readonly #control: Channel;
  readonly #data: DataDesk | undefined;
  readonly #stop = new AbortController();
  #welcome: Welcome;

  constructor(deps: BrokerDeps) {
    this.#deps = deps;
    this.#limits = { ...BROKER_LIMITS, ...deps.limits };
    this.#welcome = { ...NO_WELCOME, heartbeatMs: deps.heartbeatMs };
    const { wire } = deps;
    this.#desk = new AccessDesk({
      resolver: deps.access,
      decode: wire.decodeAccessRequest,
      encode: wire.encodeAccessAnswer,
      signal: this.#stop.signal,
    });
    this.#sessions = new LocalSessions({
      ...this.#limits,
      clock: deps.clock,
      newId: deps.newId,
      sha256: deps.sha256,
      message: (message, end) => this.#fromProcess(message, end),
      away: (session) => this.#targets.sessionAway(session),
      gone: (session) => this.#gone(session),
      left: (channel) => this.#left(channel),
    });
    this.#data = deps.data && this.#newData(deps.data);
    this.#targets = new TargetRegistry({
      ask: (request) => this.#toPlatform(request),
      tell: (session, reply) => this.#tell(session, reply),
      giveUp: (session) => this.#sessions.giveUp(session),
      known: (target) => this.#relays.forEach((relay) => relay.claimed(target)),
      gone: (target) => this.#relays.forEach((relay) => relay.down.dropTarget(target)),
      refuseStream: (wanted) => refuseTunnel(deps.uplink, wanted),
    });
    this.#control = deps.uplink.open(
      { name: 'control', mode: 'reliable', connectionClass: 'control' },
      { message: (message) => this.#fromPlatform(message), resumed: () => this.#resumed() },
    );
  }

  /** For one listener, with its own authenticator. */
  listen(authenticator: LocalAuthenticator): AcceptLink {
    const { session, clock, sleep, heartbeatMs, observer } = this.#deps;
    const acceptor: Acceptor = createAcceptor({
      admit: (open, peer, signal) => this.#admit({ open, peer, authenticator, credentials }, signal),
      session,
      clock,
      sleep,
      heartbeatMs,
      onMalformed: (_peer, message) => observer.malformed(message),
    });
    const credentials = new LocalCredentials(acceptor, authenticator);
    this.#acceptors.push(acceptor);
    this.#credentials.push(credentials);
    return acceptor.accept;
  }

  /** For connections from other fleetlets; `undefined` where there are no data channels. */
  get acceptFleetlets(): AcceptLink | undefined {
    return this.#data?.accept;
  }

  /** Runs until aborted. Call `listen` for all listeners before. */
  async run(signal: AbortSignal): Promise<void> {
    const over = AbortSignal.any([signal, this.#stop.signal]);
    const acceptors = this.#acceptors.map((acceptor) => acceptor.run(over));
    await Promise.all([...acceptors, this.#tick(over), this.#data?.run(over)]);
  }

  /** Whether the platform has acknowledged everything received from local processes. */
  get isDrained(): boolean {
    return [...this.#relays.values()].every(({ channel, waiting }) => channel.buffered.messages + waiting === 0);
  }

  /** Closes all streams. Local processes reconnect to the fleetlet that listens next. */
  close(why: Omit<CloseFrame, 'kind'>): void {
    this.#stop.abort();
    for (const acceptor of this.#acceptors) acceptor.closeWhere(() => true, why);
    this.#data?.close(why);
    for (const relay of this.#relays.values()) relay.close();
    this.#relays.clear();
    this.#control.close();
  }

  stats(): BrokerStats {
    const channels = [...this.#relays].map(([channel, relay]) => {
      const { messages, bytes, dropped } = relay.channel.buffered;
      const { waiting, counts } = relay;
      const processes = this.#sessions.ends(channel).length;
      return { channel, processes, buffered: { messages, bytes }, dropped, waiting, held: relay.down.held, counts };
    });
    return { processes: this.#sessions.size, targets: this.#targets.size, channels };
  }

  async #admit({ open, peer, authenticator, credentials }: LocalOpening, signal: AbortSignal): Promise<Admission> {
    const who = await authenticator.identify(peer, signal);
    if (who.kind === 'unknown') return { kind: 'refused', reason: 'unauthenticated', message: who.message };
    credentials.admitted(peer, who.identity);
    const { uplink, session } = this.#deps;
    const principal = { identity: who.identity, process: open.process };
    const ownerOf = (target: string): string | undefined => this.#targets.ownerOf(target);
    const verdict = mayOpen(open, principal, { rules: this.#deps.rules, ownerOf });
    if (verdict.kind === 'refused') {
      this.#deps.observer.refused(`${who.identity}/${open.process}`, verdict.message);
      return verdict;
    }
    if (open.mode === 'bytes') {
      this.#targets.calledBack(open.stream);
      return { kind: 'raw', take: tunnelThrough(uplink, { principal, session }) };
    }
    if (open.reads && (this.#data === undefined || !isDataChannel(open.channel))) {
      return { kind: 'refused', reason: 'unknownChannel', message: `${open.channel} cannot be opened for reading` };
    }
    const its = open.reads ? { ...open, channel: readEndOf(open.channel) } : open;
    const admitted = this.#sessions.admit(principal, its);
    if (admitted.kind === 'refused') return admitted;
    const { end, part } = admitted;
    if (admitted.isNew) this.#opened(end, open);
    else this.#left(end.channel);
    return { kind: 'channel', channel: part, detached: (why) => this.#sessions.detached(end, part, why) };
  }

  #opened(end: LocalEnd, { mode, shards }: OpenFrame): void {
    const { channel, session } = end;
    if (session.ends.size === 1) this.#deps.observer.processCame(session.name);
    if (channel === 'control') return this.#tell(session, { request: 0, ...this.#welcome });
    if (channel === 'access') return;
    const read = channelOfReadEnd(channel);
    if (read !== undefined) return this.#data?.readersChanged(read);
    const relay = this.#relays.get(channel) ?? this.#newRelay(channel, { mode, shards });
    relay.down.pump();
  }

  #newRelay(name: string, { mode, shards }: { readonly mode: ChannelMode; readonly shards: number }): Relay {
    const connectionClass: ConnectionClass = this.#isBulk(name) ? 'bulk' : 'control';
    const spec = {
      name,
      mode: mode === 'lossy' ? 'lossy' : 'reliable',
      connectionClass,
      window: this.#limits.window,
      buffer: this.#limits.buffer,
      ...(shards > 1 ? { shards } : {}),
    } as const;
    const data = isDataChannel(name) ? this.#data : undefined;
    const relay = new Relay({
      open: (handlers) => data?.openSource(spec, handlers) ?? this.#deps.uplink.open(spec, handlers),
      candidates: (message) => this.#candidates(name, message),
      verdict: ({ channel, session }, target) =>
        maySend({ channel, target }, session.principal, (uid) => this.#targets.ownerOf(uid)),
      resumed: () => this.#tellResumed(name),
      closed: (why) => this.#relayClosed(name, why),
      now: () => this.#deps.clock.now(),
    });
    this.#relays.set(name, relay);
    return relay;
  }

  #isBulk(name: string): boolean {
    const matches = (pattern: string): boolean =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    return this.#deps.bulkChannels.some(matches);
  }

  /** Messages about a target go to the process that serves it; all others to the process they name, or to any. */
  #candidates(channel: string, { target, process }: Inbound): readonly LocalEnd[] {
    const isThere = (end: LocalEnd): boolean => end.session.isAttached;
    if (target !== '') {
      const speaker = this.#targets.speakerOf(target);
      const end = speaker?.end(channel, target) ?? speaker?.end(channel);
      return end === undefined ? [] : [end];
    }
    const ends = this.#sessions.ends(channel).filter((end) => end.target === '' && isThere(end));
    return process === '' ? ends : ends.filter((end) => end.session.name === process);
  }

  #fromProcess(message: Inbound, end: LocalEnd): void {
    if (end.channel === 'access') return this.#desk.message(message, end);
    if (end.channel === 'control') {
      const request = this.#deps.wire.decodeControlRequest(message.payload);
      message.ack();
      return request && this.#targets.request(end.session, request);
    }
    const read = channelOfReadEnd(end.channel);
    if (read !== undefined) return this.#data?.answer(read, message);
    this.#relays.get(end.channel)?.up(message, end);
  }

  #fromPlatform(message: Inbound): void {
    const reply = this.#deps.wire.decodeControlReply(message.payload);
    message.ack();
    if (reply === undefined) return;
    if (reply.kind === 'welcome') {
      const { request: _, ...welcome } = reply;
      this.#deps.observer.welcomed(welcome);
      // Local processes send heartbeats to the fleetlet, at the fleetlet's interval, not at the platform's.
      this.#welcome = { ...welcome, heartbeatMs: this.#deps.heartbeatMs };
      for (const session of this.#sessions) this.#tell(session, { request: 0, ...this.#welcome });
      this.#data?.welcomed();
    }
    if (reply.kind === 'renewCertificate') this.#deps.observer.renewalAsked();
    if (reply.kind === 'replicaList') this.#deps.observer.replicasListed(reply.replicas);
    if (reply.kind === 'dataRoute') this.#data?.route(reply);
    if (reply.kind === 'openStream' && reply.mode === 'relay') this.#data?.wanted(reply);
    else this.#targets.reply(reply);
  }

  #toPlatform(request: ControlRequest, settled = (): void => {}): void {
    const payload = this.#deps.wire.encodeControlRequest(request);
    // Not bounded here: registrations are few, and bounded by the local processes.
    this.#control.send({ payload, settled }, this.#stop.signal).catch(settled);
  }

  #tell(session: LocalSession, reply: ControlReply): void {
    // A process that does not read its messages is bounded by its buffer, and learns the rest when it reconnects.
    session.end('control')?.trySend({ payload: this.#deps.wire.encodeControlReply(reply) });
  }

  #resumed(): void {
    this.#targets.registerAgain();
    this.#tellResumed('control');
    this.#tellResumed('access');
  }

  #tellResumed(channel: string): void {
    for (const { parts } of this.#sessions.ends(channel)) {
      for (const part of parts) for (const acceptor of this.#acceptors) acceptor.tellResumed(part);
    }
  }

  #relayClosed(name: string, why: Omit<CloseFrame, 'kind'>): void {
    if (!this.#relays.delete(name)) return;
    this.#deps.observer.channelClosed(name, why);
    this.#sessions.closeChannel(name, why);
  }

  #gone(session: LocalSession): void {
    this.#targets.sessionGone(session);
    for (const relay of this.#relays.values()) relay.down.pump();
    this.#data?.readersChanged();
    this.#deps.observer.processGone(session.name);
  }

  /** A process has left or rejoined a channel: waiting messages may have a reader now. */
  #left(channel: string): void {
    const read = channelOfReadEnd(channel);
    if (read === undefined) this.#relays.get(channel)?.down.pump();
    else this.#data?.readersChanged(read);
  }

  #newData(ports: DataPorts): DataDesk {
    const { observer } = this.#deps;
    return new DataDesk({
      ...this.#deps,
      ...this.#limits,
      ports,
      ask: (request, settled) => this.#toPlatform(request, settled),
      welcome: () => this.#welcome,
      readers: (channel) => this.#sessions.ends(readEndOf(channel)),
      refused: (who, message) => observer.refused(who, message),
      malformed: (message) => observer.malformed(message),
    });
  }

  async #tick(signal: AbortSignal): Promise<void> {
    for (let ticks = 1; !signal.aborted; ticks += 1) {
      await this.#deps.sleep(TICK_MS, signal).catch(() => undefined);
      this.#sessions.sweep();
      for (const relay of this.#relays.values()) relay.expire();
      if (ticks % TICKS_PER_RETRY === 0) this.#targets.retry();
      if (ticks % TICKS_PER_CHECK === 0) for (const each of this.#credentials) await each.check(signal);
    }
  }
}

interface LocalOpening {
  readonly open: OpenFrame;
  readonly peer: LinkPeer;
  readonly authenticator: LocalAuthenticator;
  readonly credentials: LocalCredentials;
}

const NO_WELCOME: Welcome = {
  kind: 'welcome',
  platform: '',
  platformVersion: '',
  fleetlet: '',
  heartbeatMs: 0,
  authorities: '',
  ticketKey: '',
};
