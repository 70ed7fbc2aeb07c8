import { randomUUID } from 'node:crypto';
import { sleep, systemClock } from '#kit/std';
import type { AcceptStream } from '#kit/transport';
import { createMemoryTransport } from '#kit/transport/memory';
import { BROKER_WIRE } from '../adapters/broker-wire.ts';
import {
  decodeControlReply,
  decodeControlRequest,
  encodeControlReply,
  encodeControlRequest,
} from '../adapters/control-codec.ts';
import { frameAcceptor, frameConnections } from '../adapters/frame-links.ts';
import { sha256 } from '../adapters/sha256.ts';
import type { AccessResolver } from '../application/broker/access-resolver.ts';
import { Broker } from '../application/broker/broker.ts';
import type { BrokerDeps } from '../application/broker/broker-deps.ts';
import type { Inbound } from '../application/channel.ts';
import type { ControlReply, ControlRequest, TargetClaim } from '../domain/control-message.ts';
import type { CloseFrame } from '../domain/frame.ts';
import { AcceptingEnd } from './accepting-end.ts';
import { anUplink, type RunningUplink, until } from './an-uplink.ts';

export interface Heard {
  readonly text: string;
  readonly redelivered: boolean;
  readonly message: Inbound;
}

/** A local process: its connection to the broker, and what it received. */
export interface LocalProcess extends RunningUplink {
  readonly news: ControlReply[];
  readonly resumed: string[];
  ask(request: ControlRequest): void;
  /** Opens a channel that acknowledges every message by default. */
  open(name: string, options?: { readonly keeps?: boolean; readonly shards?: number }): LocalChannelEnd;
  cut(): void;
}

export interface LocalChannelEnd {
  readonly heard: Heard[];
  readonly closed: Omit<CloseFrame, 'kind'>[];
  say(text: string, more?: { readonly target?: string; readonly key?: string }): Promise<void>;
}

const NO_SIGNAL = new AbortController().signal;

export function claimOf(name: string, more: Partial<TargetClaim> = {}): TargetClaim {
  return {
    name,
    type: 'directory',
    serving: 'colocated',
    labels: {},
    properties: '{}',
    manifestTypes: [],
    instance: '',
    agentVersion: '1',
    ...more,
  };
}

/** A broker between a platform that accepts everything and any number of local processes, all in memory. */
export class BrokerStage {
  readonly platform = new AcceptingEnd();
  readonly asked: ControlRequest[] = [];
  /** Messages from local processes, with their target and sender. */
  readonly up: {
    readonly channel: string;
    readonly text: string;
    readonly target: string;
    readonly process: string;
  }[] = [];
  readonly events: string[] = [];
  readonly broker: Broker;
  readonly #network = createMemoryTransport({ accept: frameAcceptor(this.platform.acceptor.accept) });
  readonly #uplink: RunningUplink;
  readonly #accept: AcceptStream;
  readonly #processes: RunningUplink[] = [];
  readonly #over = new AbortController();
  readonly #running: Promise<void>;
  /** Answers a registration like a platform that knows every target; `undefined` for no answer. */
  answer: (request: ControlRequest) => ControlReply | undefined = answerAll;

  constructor(deps: Partial<BrokerDeps> & { readonly identity?: (token: string) => string | undefined } = {}) {
    this.#uplink = anUplink(frameConnections(this.#network.transport), { process: 'fleetlet' });
    const { identity = (token) => (token === '' ? 'unix:test.sock' : `token:${token}`), ...rest } = deps;
    this.broker = new Broker({
      uplink: this.#uplink.uplink,
      access: NO_ACCESS,
      wire: BROKER_WIRE,
      rules: [],
      bulkChannels: [],
      session: randomUUID(),
      heartbeatMs: 5_000,
      clock: systemClock,
      sleep,
      newId: randomUUID,
      sha256,
      observer: this.#observer(),
      ...rest,
    });
    this.platform.onMessage = (message, { channel }) => this.#arrived(message, channel);
    const accept = this.broker.listen({
      identify: async ({ headers }) => {
        const known = identity(headers['authorization'] ?? '');
        return known === undefined
          ? { kind: 'unknown', message: 'the credentials are not known' }
          : { kind: 'known', identity: known };
      },
    });
    this.#accept = frameAcceptor(accept);
    this.#running = this.broker.run(this.#over.signal);
  }

  /** The fleetlet's uplink to the platform. */
  cutUplink(): void {
    this.#network.cut();
  }

  async down(
    channel: string,
    text: string,
    more: { target?: string; key?: string; process?: string } = {},
  ): Promise<void> {
    await until(() => this.platform.opens.some((open) => open.channel === channel));
    await this.platform.of(channel).send({ payload: Buffer.from(text), ...more }, NO_SIGNAL);
  }

  tell(reply: ControlReply): void {
    this.platform.of('control').trySend({ payload: encodeControlReply(reply) });
  }

  local(process: string, token = ''): LocalProcess {
    const news: ControlReply[] = [];
    const resumed: string[] = [];
    const headers = (): Record<string, string> => (token === '' ? {} : { authorization: token });
    const own = createMemoryTransport({ accept: this.#accept });
    const running = anUplink(frameConnections(own.transport, headers), { process });
    this.#processes.push(running);
    const control = running.uplink.open(
      { name: 'control', mode: 'reliable', connectionClass: 'control' },
      {
        message: (message) => {
          const reply = decodeControlReply(message.payload);
          message.ack();
          if (reply !== undefined) news.push(reply);
        },
        resumed: () => resumed.push('control'),
      },
    );
    return {
      ...running,
      news,
      resumed,
      cut: () => own.cut(),
      ask: (request) => void control.trySend({ payload: encodeControlRequest(request) }),
      open: (name, options) => openLocal(running, resumed, name, options),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.stop()));
    this.broker.close({ reason: 'draining', message: 'the test is over', retryAfterMs: 0 });
    this.#over.abort();
    await this.#running;
    await this.#uplink.stop();
  }

  #observer(): BrokerDeps['observer'] {
    const note = (what: string) => (name: string) => void this.events.push(`${what} ${name}`);
    return {
      welcomed: ({ platform }) => void this.events.push(`welcomed ${platform}`),
      renewalAsked: () => void this.events.push('renewal'),
      replicasListed: (replicas) => void this.events.push(`replicas ${replicas.map(({ grpc }) => grpc).join()}`),
      processCame: note('came'),
      processGone: note('gone'),
      refused: note('refused'),
      malformed: note('malformed'),
      channelClosed: note('closed'),
    };
  }

  #arrived(message: Inbound, channel: string): void {
    if (channel === 'control') {
      const request = decodeControlRequest(message.payload);
      message.ack();
      if (request === undefined) return;
      this.asked.push(request);
      const reply = this.answer(request);
      if (reply !== undefined) this.tell(reply);
      return;
    }
    const { target, process } = message;
    this.up.push({ channel, text: Buffer.from(message.payload).toString(), target, process });
    message.ack();
  }
}

const NO_ACCESS: AccessResolver = { resolve: () => Promise.reject(new Error('nobody answers')) };

/** The uid of a target is its name. */
function answerAll(request: ControlRequest): ControlReply | undefined {
  const { request: id } = request;
  if (request.kind === 'registerTarget' || request.kind === 'updateTarget') {
    const { name } = request.claim;
    return { request: id, kind: 'targetAccepted', target: `uid-${name}`, name };
  }
  return request.kind === 'deregisterTarget'
    ? { request: id, kind: 'targetDeregistered', target: request.target }
    : undefined;
}

function openLocal(
  { uplink }: RunningUplink,
  resumed: string[],
  name: string,
  { keeps = false, shards = 1 }: { readonly keeps?: boolean; readonly shards?: number } = {},
): LocalChannelEnd {
  const heard: Heard[] = [];
  const closed: Omit<CloseFrame, 'kind'>[] = [];
  const channel = uplink.open(
    { name, mode: 'reliable', connectionClass: 'control', shards },
    {
      message: (message) => {
        heard.push({ text: Buffer.from(message.payload).toString(), redelivered: message.redelivered, message });
        if (!keeps) message.ack();
      },
      resumed: () => resumed.push(name),
      closed: (why) => closed.push(why),
    },
  );
  return { heard, closed, say: (text, more = {}) => channel.send({ payload: Buffer.from(text), ...more }, NO_SIGNAL) };
}
