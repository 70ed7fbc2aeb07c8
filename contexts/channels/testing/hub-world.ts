import { randomUUID } from 'node:crypto';
import { createMemoryTransport } from '#kit/transport/memory';
import { FakeClock } from '#testing/fake-clock';
import {
  decodeControlReply,
  decodeControlRequest,
  encodeControlReply,
  encodeControlRequest,
} from '../adapters/control-codec.ts';
import { frameAcceptor, frameConnections } from '../adapters/frame-links.ts';
import type { Channel, Inbound } from '../application/channel.ts';
import type { SessionHubDeps } from '../application/hub/hub-deps.ts';
import type { Activity, Authentication, Binding, HubFact, PresenceChange } from '../application/hub/ports.ts';
import { SessionHub } from '../application/hub/session-hub.ts';
import type { AcceptLink } from '../application/link.ts';
import type { ControlReply, ControlRequest, Serving, TargetClaim } from '../domain/control-message.ts';
import { sha256 } from './accepting-end.ts';
import { anUplink, until } from './an-uplink.ts';

/** Omits over a union. */
type Ask<T = ControlRequest> = T extends ControlRequest ? Omit<T, 'request'> : never;

/** A platform that identifies fleetlets by their address, and targets by name. */
export class HubWorld {
  readonly clock = new FakeClock();
  readonly facts: HubFact[] = [];
  readonly presence: string[] = [];
  readonly reachable = new Set<string>();
  readonly described: string[] = [];
  readonly taken: { readonly message: Inbound; readonly text: string; readonly channel: string }[] = [];
  /** The targets that a fleetlet may serve. */
  readonly bound = new Map<string, readonly string[]>();
  /** Overrides the authentication. */
  readonly refused = new Map<string, Authentication>();
  readonly notAfter = new Map<string, number>();
  readonly issuedAt = new Map<string, number>();
  activity: Activity = { kind: 'active' };
  putDown: (changes: readonly PresenceChange[]) => Promise<void> = async () => {};
  /** Overrides the binding. */
  bindingOf: (claim: TargetClaim) => Binding | undefined = () => undefined;
  describe: (claim: TargetClaim) => string | undefined = () => undefined;
  readonly hub: SessionHub;
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(deps: Partial<SessionHubDeps> = {}) {
    this.hub = new SessionHub({
      directory: {
        authenticate: async ({ address }) =>
          this.refused.get(address) ?? {
            kind: 'known',
            // `f1/copy` is another process of f1.
            uid: address.split('/')[0] ?? '',
            notAfter: this.notAfter.get(address) ?? Number.POSITIVE_INFINITY,
            issuedAt: this.issuedAt.get(address) ?? 0,
            renewSoon: false,
          },
        bind: async (fleetlet, claim) => {
          const { name, type } = claim;
          const notBound = {
            kind: 'refused',
            reason: 'notBound',
            message: `${name} is not bound to ${fleetlet}`,
          } as const;
          const bound = { kind: 'bound', target: { uid: `uid-${name}`, name, type } } as const;
          return this.bindingOf(claim) ?? (this.bound.get(fleetlet)?.includes(name) ? bound : notBound);
        },
        describe: async (target, claim) => {
          this.described.push(target.name);
          return this.describe(claim);
        },
        welcome: async () => ({ platform: 'test', platformVersion: '1', authorities: '', ticketKey: '' }),
      },
      presence: {
        reachable: ({ name }, is) => void (is ? this.reachable.add(name) : this.reachable.delete(name)),
        changed: async (changes) => {
          await this.putDown(changes);
          for (const { target, isOnline } of changes) this.presence.push(`${target.name} ${isOnline ? 'on' : 'off'}`);
        },
      },
      observer: { fact: (fact) => this.facts.push(fact), message: () => {} },
      codec: { decodeRequest: decodeControlRequest, encodeReply: encodeControlReply },
      activity: () => this.activity,
      session: 'platform',
      clock: this.clock,
      sleep: this.clock.sleep,
      random: () => 0,
      newId: randomUUID,
      sha256,
      heartbeatMs: 5_000,
      ...deps,
    });
    for (const channel of ['delivery', 'status']) {
      this.hub.handle(channel, {
        mode: 'reliable',
        message: (message) => this.taken.push({ message, text: Buffer.from(message.payload).toString(), channel }),
      });
    }
    const over = new AbortController();
    const done = this.hub.run(over.signal);
    this.#stops.push(async () => {
      over.abort();
      await done;
    });
  }

  /** A fleetlet of this name that may serve these targets. */
  fleetlet(name: string, bound: readonly string[] = [], accept: AcceptLink = this.hub.accept): ScriptedFleetlet {
    if (bound.length > 0) this.bound.set(name, bound);
    const fleetlet = new ScriptedFleetlet(name, accept);
    this.#stops.push(() => fleetlet.stop());
    return fleetlet;
  }

  kinds(): string[] {
    return this.facts.map(({ kind }) => kind);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.toReversed()) await stop();
  }
}

/** An uplink with the channels of a fleetlet, controlled by the test. */
export class ScriptedFleetlet {
  readonly name: string;
  readonly replies: ControlReply[] = [];
  readonly delivered: string[] = [];
  readonly closes: string[] = [];
  readonly control: Channel;
  readonly delivery: Channel;
  readonly status: Channel;
  readonly #running: ReturnType<typeof anUplink>;
  readonly #memory: ReturnType<typeof createMemoryTransport>;
  #requests = 0;
  /** Deliveries are acknowledged. */
  acknowledges = true;

  constructor(name: string, accept: AcceptLink) {
    this.name = name;
    const peer = { address: name, certificate: undefined };
    this.#memory = createMemoryTransport({ accept: frameAcceptor(accept), peer });
    this.#running = anUplink(frameConnections(this.#memory.transport), { process: name });
    this.control = this.#open('control', (message) => {
      message.ack();
      const reply = decodeControlReply(message.payload);
      if (reply !== undefined) this.replies.push(reply);
    });
    this.delivery = this.#open('delivery', (message) => {
      if (this.acknowledges) message.ack();
      this.delivered.push(Buffer.from(message.payload).toString());
    });
    this.status = this.#open('status', (message) => message.ack());
  }

  get uplink() {
    return this.#running.uplink;
  }

  get states() {
    return this.#running.states;
  }

  cut(): void {
    this.#memory.cut();
  }

  ask(ask: Ask): number {
    const request = ++this.#requests;
    this.control.trySend({ payload: encodeControlRequest({ ...ask, request }) });
    return request;
  }

  /** Resolves with the answer. */
  async register(name: string, serving: Serving = 'colocated', its: Partial<TargetClaim> = {}): Promise<ControlReply> {
    const said = { labels: {}, properties: '', manifestTypes: [], instance: '', agentVersion: '', ...its };
    const request = this.ask({ kind: 'registerTarget', claim: { name, type: 'directory', serving, ...said } });
    return await this.answerTo(request);
  }

  async answerTo(request: number): Promise<ControlReply> {
    await until(() => this.replies.some((reply) => reply.request === request));
    const found = this.replies.find((reply) => reply.request === request);
    if (found === undefined) throw new Error('it is there');
    return found;
  }

  says(target: string, text: string): void {
    this.status.trySend({ payload: Buffer.from(text), target: `uid-${target}` });
  }

  has(kind: ControlReply['kind']): boolean {
    return this.replies.some((reply) => reply.kind === kind);
  }

  async stop(): Promise<void> {
    await this.#running.stop();
    await this.#memory.server.close();
  }

  #open(name: string, message: (message: Inbound) => void): Channel {
    const closed = ({ reason }: { readonly reason: string }): void => void this.closes.push(`${name} ${reason}`);
    return this.uplink.open({ name, mode: 'reliable', connectionClass: 'control' }, { message, closed });
  }
}
