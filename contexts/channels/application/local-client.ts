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
  /** Delay before a refused target is registered again; default 30 s. */
  readonly retryMs?: number;
}

/** Codec of the `control` messages. */
export interface LocalWire {
  readonly encodeControlRequest: (request: ControlRequest) => Uint8Array;
  readonly decodeControlReply: (payload: Uint8Array) => ControlReply | undefined;
}

export interface TargetHandlers {
  /** Called with the target's uid; again each time the fleetlet or the platform was away. */
  accepted(uid: string): void;
  /** The registration is retried, unless the claim itself is invalid. */
  refused?(reason: TargetRefusal, message: string, identity?: string): void;
  /** Another process serves the target from now on. */
  superseded?(message: string): void;
  /** The platform is ready for a full sync of the target. */
  syncNow?(): void;
}

/** A target that this process serves. */
export interface LocalTarget {
  readonly name: string;
  /** Set once the target is accepted. */
  readonly uid: string | undefined;
  update(claim: TargetClaim): void;
  /** Resolves once the fleetlet has acknowledged it. */
  deregister(signal: AbortSignal): Promise<void>;
}

/** Serves a tunnel that the platform has opened; returns the handlers for its data. */
export type TakeTunnel = (bytes: ByteStream, about: TunnelOpened) => ByteHandlers;

export interface TunnelOpened {
  readonly channel: string;
  /** The uid of the target. */
  readonly target: string;
  /** The secret that the platform sent for this tunnel alone; empty if it sent none. */
  readonly key: Uint8Array;
}

const TUNNEL = 'tunnel/';

export type LocalChannelSpec = Omit<ChannelSpec, 'connectionClass' | 'mode'> & Partial<Pick<ChannelSpec, 'mode'>>;

/** The API for agents and addons: their local fleetlet, and through it the platform. */
export class LocalClient {
  readonly #deps: LocalClientDeps;
  readonly #control: Channel;
  readonly #targets = new Map<string, RegisteredTarget>();
  readonly #tunnels = new Map<string, TakeTunnel>();
  readonly #over = new AbortController();
  /** Pending operations; `run` waits for them before it returns. */
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

  /** The most recent welcome of the fleetlet. */
  get welcome(): Welcome | undefined {
    return this.#welcome;
  }

  /** May be called before `run` or at any time. A target of the same name is replaced. */
  registerTarget(claim: TargetClaim, handlers: TargetHandlers): LocalTarget {
    const target = new RegisteredTarget(this, claim, handlers);
    this.#targets.set(claim.name, target);
    this.#register(target);
    return target;
  }

  /** Reliable by default. `resumed` means that the fleetlet, or the platform behind it, was away. */
  open({ mode = 'reliable', ...spec }: LocalChannelSpec, handlers: ChannelHandlers): Channel {
    return this.#deps.uplink.open({ ...spec, mode, connectionClass: 'control' }, handlers);
  }

  openBytes(spec: Omit<ByteSpec, 'connectionClass'>, handlers: ByteHandlers): ByteStream {
    return this.#deps.uplink.openBytes({ ...spec, connectionClass: 'control' }, handlers);
  }

  /** Serves every `tunnel/<name>` of this process's targets, until the returned function is called. */
  serveTunnel(name: string, take: TakeTunnel): () => void {
    const channel = `${TUNNEL}${name}`;
    this.#tunnels.set(channel, take);
    return () => {
      if (this.#tunnels.get(channel) === take) this.#tunnels.delete(channel);
    };
  }

  /** Runs until aborted. To release its targets at once, a process deregisters them first. */
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
    // A target that is not accepted yet is deregistered as soon as it is: see `#accepted`.
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
        return this.#refused(reply);
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
      case 'replicaList':
        return;
    }
  }

  #wanted(wanted: OpenStream): void {
    const { channel, target, stream, key } = wanted;
    const take = this.#tunnels.get(channel) ?? refuseTunnel;
    // `openBytes` calls no handler synchronously, so `handlers` is assigned before it is used.
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

  #refused({ name, reason, message, identity }: ControlReply & { readonly kind: 'targetRefused' }): void {
    const target = this.#targets.get(name);
    if (!target) return;
    target.refused(reason, message, identity);
    if (!LASTING.has(reason)) this.#errand(this.#registerLater(target));
  }

  async #registerLater(target: RegisteredTarget): Promise<void> {
    const { sleep, random, retryMs = 30_000 } = this.#deps;
    await sleep(Math.floor(retryMs * (0.5 + random())), this.#over.signal);
    if (target.isWanting && this.#targets.get(target.name) === target) this.#register(target);
  }

  /** The fleetlet may have restarted with no memory of the targets. Registering a known target again is harmless. */
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

  /** Failures are ignored: after the client has ended there is no caller to report them to. */
  #errand(errand: Promise<void>): void {
    const done = errand.catch(() => {}).finally(() => this.#errands.delete(done));
    this.#errands.add(done);
  }
}

/** Retrying the same claim will not help. */
const LASTING: ReadonlySet<TargetRefusal> = new Set(['wrongType', 'invalid']);

/** Refuses as soon as the stream is open, so that the caller receives the reason. */
function refuseTunnel(bytes: ByteStream, { channel }: TunnelOpened): ByteHandlers {
  const refuse = (): void => bytes.destroy(`${channel} is not served there`);
  return { data: refuse, room: refuse, ended: refuse, closed: () => {} };
}

class RegisteredTarget implements LocalTarget {
  readonly #client: LocalClient;
  readonly handlers: TargetHandlers;
  claim: TargetClaim;
  uid: string | undefined;
  /** The last registration was refused, and nothing has arrived since. */
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

  refused(reason: TargetRefusal, message: string, identity: string | undefined): void {
    this.isWanting = true;
    this.handlers.refused?.(reason, message, identity);
  }

  superseded(message: string): void {
    this.handlers.superseded?.(message);
  }
}
