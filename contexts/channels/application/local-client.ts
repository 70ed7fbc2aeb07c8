import { type Random, type Sleep, unlessAborted } from '#kit/std';
import {
  type ControlReply,
  type ControlRequest,
  type OpenStream,
  type TargetClaim,
  type TargetRefusal,
  ticketFor,
  type Welcome,
} from '../domain/control-message.ts';
import type { ByteHandlers, ByteStream } from './byte-stream.ts';
import type { Channel, ChannelHandlers, Inbound } from './channel.ts';
import type { ByteSpec, ChannelSpec, Uplink } from './uplink.ts';

export interface LocalClientDeps {
  readonly uplink: Pick<Uplink, 'open' | 'openBytes' | 'run' | 'heartbeatMs'>;
  readonly wire: LocalWire;
  readonly sleep: Sleep;
  readonly random: Random;
  /** Of a target that was refused for now; 30 s unless told. */
  readonly retryMs?: number;
}

/** What is said on `control`, as bytes. */
export interface LocalWire {
  readonly encodeControlRequest: (request: ControlRequest) => Uint8Array;
  readonly decodeControlReply: (payload: Uint8Array) => ControlReply | undefined;
}

export interface TargetHandlers {
  /** Under this uid. Again after each time that the fleetlet, or the platform, was away. */
  accepted(uid: string): void;
  /** Unless it is the claim itself that is wrong it is tried again by and by. */
  refused?(reason: TargetRefusal, message: string): void;
  /** Somebody else speaks for it from now on. */
  superseded?(message: string): void;
  /** The platform is ready for the full account of it. */
  syncNow?(): void;
}

/** A target that this process speaks for. */
export interface LocalTarget {
  readonly name: string;
  /** Once it was accepted. */
  readonly uid: string | undefined;
  update(claim: TargetClaim): void;
  /** Resolves once the fleetlet knows. */
  deregister(signal: AbortSignal): Promise<void>;
}

/** Takes a stream that somebody has opened, and says who hears what comes. */
export type TakeTunnel = (bytes: ByteStream, about: TunnelOpened) => ByteHandlers;

export interface TunnelOpened {
  readonly channel: string;
  /** Its uid. */
  readonly target: string;
  /** The secret that the platform has sent for this tunnel alone; empty where it sent none. */
  readonly key: Uint8Array;
}

const TUNNEL = 'tunnel/';

export type LocalChannelSpec = Omit<ChannelSpec, 'connectionClass' | 'mode'> & Partial<Pick<ChannelSpec, 'mode'>>;

/** What agents and addons have: their fleetlet, which is next door, and through it the platform. */
export class LocalClient {
  readonly #deps: LocalClientDeps;
  readonly #control: Channel;
  readonly #targets = new Map<string, RegisteredTarget>();
  readonly #tunnels = new Map<string, TakeTunnel>();
  readonly #over = new AbortController();
  /** What is under way, so that nothing is left when it ends. */
  readonly #errands = new Set<Promise<void>>();
  #request = 0;
  #welcome: Welcome | undefined;

  constructor(deps: LocalClientDeps) {
    this.#deps = deps;
    this.#control = deps.uplink.open(
      { name: 'control', mode: 'reliable', connectionClass: 'control' },
      { message: (message) => this.#heard(message), resumed: () => this.#registerAll() },
    );
  }

  /** What the fleetlet said first, the last time it was there. */
  get welcome(): Welcome | undefined {
    return this.#welcome;
  }

  /** Before `run`, or at any time. One of that name takes the place of the one before. */
  registerTarget(claim: TargetClaim, handlers: TargetHandlers): LocalTarget {
    const target = new RegisteredTarget(this, claim, handlers);
    this.#targets.set(claim.name, target);
    this.#register(target);
    return target;
  }

  /** Reliable unless told. What it hears as `resumed`: the fleetlet, or the platform behind it, was away. */
  open({ mode = 'reliable', ...spec }: LocalChannelSpec, handlers: ChannelHandlers): Channel {
    return this.#deps.uplink.open({ ...spec, mode, connectionClass: 'control' }, handlers);
  }

  openBytes(spec: Omit<ByteSpec, 'connectionClass'>, handlers: ByteHandlers): ByteStream {
    return this.#deps.uplink.openBytes({ ...spec, connectionClass: 'control' }, handlers);
  }

  /** Serves all that open `tunnel/<name>` of one of our targets, until what it returns is called. */
  serveTunnel(name: string, take: TakeTunnel): () => void {
    const channel = `${TUNNEL}${name}`;
    this.#tunnels.set(channel, take);
    return () => {
      if (this.#tunnels.get(channel) === take) this.#tunnels.delete(channel);
    };
  }

  /** Until aborted. Whoever wants to be missed at once has deregistered before. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.uplink.run(signal);
    } finally {
      this.#over.abort();
      await Promise.all(this.#errands);
    }
  }

  updated(target: RegisteredTarget): void {
    this.#say({ request: this.#nextRequest(), kind: 'updateTarget', claim: target.claim });
  }

  async deregister(target: RegisteredTarget, signal: AbortSignal): Promise<void> {
    if (this.#targets.get(target.name) === target) this.#targets.delete(target.name);
    // One that was not accepted yet is turned down when it is.
    if (target.uid === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const request: ControlRequest = { request: this.#nextRequest(), kind: 'deregisterTarget', target: target.uid };
    const payload = this.#deps.wire.encodeControlRequest(request);
    await this.#control.send({ payload, settled: () => resolve() }, signal);
    await unlessAborted(promise, signal);
  }

  #heard(message: Inbound): void {
    message.ack();
    const reply = this.#deps.wire.decodeControlReply(message.payload);
    if (reply) this.#take(reply);
  }

  #take(reply: ControlReply): void {
    switch (reply.kind) {
      case 'welcome':
        this.#welcome = reply;
        if (reply.heartbeatMs > 0) this.#deps.uplink.heartbeatMs = reply.heartbeatMs;
        return;
      case 'targetAccepted':
        return this.#accepted(reply.name, reply.target);
      case 'targetRefused':
        return this.#refused(reply.name, reply.reason, reply.message);
      case 'targetSuperseded':
        return this.#byUid(reply.target)?.superseded(reply.message);
      case 'syncNow':
        for (const uid of reply.targets) this.#byUid(uid)?.handlers.syncNow?.();
        return;
      case 'openStream':
        return this.#wanted(reply);
      case 'targetDeregistered':
      case 'dataRoute':
      case 'renewCertificate':
        return;
    }
  }

  #wanted(wanted: OpenStream): void {
    const { channel, target, stream, key } = wanted;
    const take = this.#tunnels.get(channel) ?? refuseTunnel;
    // Nothing happens before this turn is over, so that nobody calls what is not there yet.
    const bytes = this.openBytes(
      { name: channel, target, stream, ticket: ticketFor(wanted) },
      {
        data: (data) => handlers.data(data),
        room: () => handlers.room(),
        ended: () => handlers.ended(),
        closed: (why) => handlers.closed(why),
      },
    );
    const handlers = take(bytes, { channel, target, key });
  }

  #accepted(name: string, uid: string): void {
    const target = this.#targets.get(name);
    if (target) target.accepted(uid);
    else this.#say({ request: this.#nextRequest(), kind: 'deregisterTarget', target: uid });
  }

  #refused(name: string, reason: TargetRefusal, message: string): void {
    const target = this.#targets.get(name);
    if (!target) return;
    target.refused(reason, message);
    if (!LASTING.has(reason)) this.#errand(this.#registerLater(target));
  }

  async #registerLater(target: RegisteredTarget): Promise<void> {
    const { sleep, random, retryMs = 30_000 } = this.#deps;
    await sleep(Math.floor(retryMs * (0.5 + random())), this.#over.signal);
    if (target.isWanting && this.#targets.get(target.name) === target) this.#register(target);
  }

  /** The fleetlet may be another one than before, and know of nothing. What it knows it hears again. */
  #registerAll(): void {
    for (const target of this.#targets.values()) this.#register(target);
  }

  #register(target: RegisteredTarget): void {
    this.#say({ request: this.#nextRequest(), kind: 'registerTarget', claim: target.claim });
  }

  #byUid(uid: string): RegisteredTarget | undefined {
    for (const target of this.#targets.values()) if (target.uid === uid) return target;
    return undefined;
  }

  #nextRequest(): number {
    this.#request += 1;
    return this.#request;
  }

  #say(request: ControlRequest): void {
    const payload = this.#deps.wire.encodeControlRequest(request);
    this.#errand(this.#control.send({ payload }, this.#over.signal));
  }

  /** What it ends with is of no interest: after the end of all nobody waits for it. */
  #errand(errand: Promise<void>): void {
    const done = errand.catch(() => {}).finally(() => this.#errands.delete(done));
    this.#errands.add(done);
  }
}

/** To ask again as it is will not help. */
const LASTING: ReadonlySet<TargetRefusal> = new Set(['wrongType', 'invalid']);

/** Whoever opened it hears why, once there is somebody to say it to. */
function refuseTunnel(bytes: ByteStream, { channel }: TunnelOpened): ByteHandlers {
  const refuse = (): void => bytes.destroy(`nobody serves ${channel} there`);
  return { data: refuse, room: refuse, ended: refuse, closed: () => {} };
}

class RegisteredTarget implements LocalTarget {
  readonly #client: LocalClient;
  readonly handlers: TargetHandlers;
  claim: TargetClaim;
  uid: string | undefined;
  /** Refused, and nothing was heard since. */
  isWanting = false;

  constructor(client: LocalClient, claim: TargetClaim, handlers: TargetHandlers) {
    this.#client = client;
    this.claim = claim;
    this.handlers = handlers;
  }

  get name(): string {
    return this.claim.name;
  }

  update(claim: TargetClaim): void {
    this.claim = claim;
    this.#client.updated(this);
  }

  deregister(signal: AbortSignal): Promise<void> {
    return this.#client.deregister(this, signal);
  }

  accepted(uid: string): void {
    this.uid = uid;
    this.isWanting = false;
    this.handlers.accepted(uid);
  }

  refused(reason: TargetRefusal, message: string): void {
    this.isWanting = true;
    this.handlers.refused?.(reason, message);
  }

  superseded(message: string): void {
    this.handlers.superseded?.(message);
  }
}
